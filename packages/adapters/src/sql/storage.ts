// An opened database, whether it is one file or a database that many servers share, and the
// listeners of its commits.
import type {
  Clock,
  CommitListener,
  CommitReport,
  FullStore,
  Merchants,
  Records,
  ShopperErasure,
  Unavailable,
} from '@plazo/core/internal'
import type { Keyring } from '../encryption/keyring.ts'
import type { LeaseHolder } from '../store/lease.ts'
import type { KeyRotation } from './key-rotation.ts'

/** An open database with everything that plazo keeps in it. */
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
  /** Which process starts the jobs. Null: none does now. Rejects if the database does not answer. */
  readonly lease: () => Promise<LeaseHolder | null>
  /**
   * How often this process has begun to because another one ended without a word, or froze. Absent: it
   * cannot tell.
   */
  readonly takeovers?: () => number
  /** Writes to the disk of a database that is a file. Null: it can be written. */
  readonly probeDisk?: () => Promise<Unavailable | null>
  /** Commits the waiting writes, then closes the database. */
  readonly close: () => Promise<void>
}

/**
 * Reports each commit to this process's workers and metrics. Without it, workers would find new jobs
 * only when they poll.
 */
export const createCommitListeners = () => {
  const listeners = new Set<CommitListener>()
  return {
    onCommitted: (listener: CommitListener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** Tells nobody of a commit that made nothing due and no step. */
    notify: (report: CommitReport): void => {
      if (report.nextDueAt < Number.POSITIVE_INFINITY || report.steps > 0)
        for (const listener of listeners) listener(report)
    },
  }
}
