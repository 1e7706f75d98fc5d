// Commits changes to SQLite: connects the store with the writer, which runs in this thread or in one
// of its own, and with the checkpoints; and tells whether writes succeed.

import { type Unavailable, UnavailableError, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Cipher } from '../encryption/cipher.ts'
import type { Timers } from '../system/clock-and-ids.ts'
import type { Database } from './schema/database.ts'
import { createDiskProbe, type ProbeDisk } from './wal/disk-probe.ts'
import { isFull, startCheckpoints } from './wal/write-ahead-log.ts'
import { threadedWriter } from './writer/threaded-writer.ts'
import {
  type CommitMoments,
  type Item,
  type Outcome,
  type PlainChange,
  type Result,
  type Statement,
  sqliteWriter,
} from './writer/writer.ts'

export type CommitOptions = CommitMoments & {
  readonly timers?: Timers
  /**
   * For a file: the number of changes after which another thread writes. 0: it writes from the first
   * one on. Infinity: no other thread opens the file.
   */
  readonly threadAfterJobs?: number
}

export type Committer = ReturnType<typeof openCommitter>

// Processes forget the orders that they remember, and nothing else changes.
const TRY: Statement = { text: 'update key_changes set count = count + 1', values: [] }
// A quarter of a second of work in a burst. A process that commits less never starts a thread.
const CHANGES_BEFORE_THREADS = 1_000

export const openCommitter = (db: Database, cipher: Cipher, options: CommitOptions) => {
  const { onCommit, threadAfterJobs = CHANGES_BEFORE_THREADS } = options
  // Another thread cannot open a database without a file, and cannot call `onCommit`.
  const after = db.memory || onCommit !== undefined ? Number.POSITIVE_INFINITY : threadAfterJobs
  const writer = threadedWriter(sqliteWriter(db, { cipher, onCommit }), {
    path: db.name,
    keyring: cipher.keyring,
    after,
  })
  const checkpoints =
    after === Number.POSITIVE_INFINITY ? null : startCheckpoints(db.name, CHANGES_BEFORE_THREADS)
  const probeDisk: ProbeDisk = db.memory ? async () => null : createDiskProbe(db.name)
  // Of the last commit. An internal error says nothing about the disk.
  let hasFailed = false

  const takesWrites: Task<boolean> = async () => {
    // The probe is smaller than the writes of orders, so it might fit where they do not.
    if (isFull(db)) return false
    if (!hasFailed) return (await probeDisk()) === null
    const [outcome = LOST] = await writer.write([[TRY]])
    hasFailed = E.isLeft(outcome)
    return !hasFailed
  }

  const write = async (items: readonly Item[]): Promise<readonly Outcome[]> => {
    const outcomes = await writer.write(items)
    checkpoints?.onCommit(outcomes.length)
    for (const outcome of outcomes)
      if (E.isLeft(outcome) && outcome.left.code !== 'internal_error') hasFailed = true
    return outcomes
  }

  return {
    commit: async (
      changes: readonly PlainChange[],
    ): Promise<readonly E.Either<Unavailable, Result>[]> =>
      // Only statements have rows.
      (await write(changes)) as readonly E.Either<Unavailable, Result>[],
    /** Runs statements that write, and returns the rows of the last one. Rejects if one fails. */
    run: async (statements: readonly Statement[]): Promise<readonly unknown[]> => {
      const [outcome = LOST] = await write([statements])
      if (E.isLeft(outcome)) throw new UnavailableError(outcome.left)
      return 'rows' in outcome.right ? outcome.right.rows : []
    },
    /** True if the last commit succeeded, or the disk can be written. */
    takesWrites,
    probeDisk,
    close: async (): Promise<void> => {
      await Promise.all([writer.close(), checkpoints?.close()])
    },
  }
}

const LOST = unavailable('closed', 'The store is closed.')
