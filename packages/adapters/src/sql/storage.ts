// An opened database, whether it is one file or a database that many servers share, and the
// listeners of its commits.
import type {
  Clock,
  CommitListener,
  FullStore,
  Merchants,
  Records,
  ShopperErasure,
  Unavailable,
} from '@plazo/core/ports'
import type { Keyring } from '../encryption/keyring.ts'
import type { KeyRotation } from '../encryption/master-keys.ts'

export type Storage = {
  readonly store: FullStore
  readonly merchants: Merchants
  readonly records: Records
  /** The master keys that it is encrypted under: the keys given, or its own. */
  readonly keyring: Keyring
  readonly keyRotation: KeyRotation
  readonly erasure: ShopperErasure
  /**
   * Real time: this computer's clock or, if many servers share the database, the database's clock.
   */
  readonly clock: Clock
  /** Writes to the disk of a database that is a file. Null: it can be written. */
  readonly probeDisk?: () => Promise<Unavailable | null>
  /** Commits the waiting writes, then closes the database. */
  readonly close: () => Promise<void>
}

export type CommitListeners = ReturnType<typeof createCommitListeners>

/**
 * Reports to this process's workers that a commit has made jobs due. Without it, they would find
 * them only when they poll.
 */
export const createCommitListeners = () => {
  const listeners = new Set<CommitListener>()
  return {
    onCommitted: (listener: CommitListener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Infinite: the commit made nothing due. */
    notify: (nextDueAt: number): void => {
      if (nextDueAt < Number.POSITIVE_INFINITY)
        for (const listener of listeners) listener(nextDueAt)
    },
  }
}
