// Reports to this process's workers that a commit has made jobs due. Without it, they would find them only when they poll.
import type { CommitListener, FullStore } from '@plazo/core'

export type CommitListeners = Pick<FullStore, 'onCommitted'> & {
  /** Call after the commit, before its callers are answered. Infinite: the commit made nothing due. */
  readonly notify: CommitListener
}

export const createCommitListeners = (): CommitListeners => {
  const listeners = new Set<CommitListener>()
  return {
    onCommitted: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify: (nextDueAt) => {
      if (nextDueAt < Number.POSITIVE_INFINITY) for (const listener of listeners) listener(nextDueAt)
    },
  }
}
