// How SQLite is written: many callers' work in one commit, made here or in a thread beside.
import { randomBytes } from 'node:crypto'
import { backgroundTimers, systemTimers } from '../system/timers.ts'
import { checkpointsBeside, noCheckpoints } from './checkpoints.ts'
import { type CommitQueue, type CommitQueueOptions, commitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'
import { type FreeBytes, freeBytesOf, isFull, isOfSpace } from './log-space.ts'
import type { Vault } from './vault.ts'
import { writingBeside, writingHere } from './writer/beside.ts'
import type { CommittingOptions } from './writer/committing.ts'
import { sqliteWriter, type Writer } from './writer/writer.ts'

export type CommitsOptions = Omit<CommitQueueOptions, 'committed' | 'isDiskFull'> &
  Partial<Pick<CommittingOptions, 'patience' | 'onCommit'>> & {
    /** For tests: in place of the disk's own. */
    readonly freeBytes?: FreeBytes
    /** After how many jobs a thread beside writes, in a file; 0: from the first on. */
    readonly besideAfter?: number
    /** What processes have claimed that are gone is passed on at once; false: whoever opens it claims nothing himself. */
    readonly takesOver?: boolean
  }

// A quarter of a second's work in a burst. Whoever commits less never starts a thread.
const JOBS_BEFORE_THREADS = 1_000
const PATIENCE = 12

// On a full disk their claims pass on when their leases end, and the server starts.
const takeOver = ({ takeOverFromTheDead }: Writer): void => {
  try {
    takeOverFromTheDead()
  } catch (cause) {
    if (!isOfSpace(cause)) throw cause
  }
}

export const sqliteCommits = (db: Database, vault: Vault, options: CommitsOptions = {}): CommitQueue => {
  const {
    patience = PATIENCE,
    onCommit,
    besideAfter = JOBS_BEFORE_THREADS,
    takesOver = true,
    freeBytes = freeBytesOf,
  } = options
  const { timers = systemTimers } = options
  const boot = randomBytes(6).toString('hex')
  const { monotonicNow } = timers
  const here = sqliteWriter(db, { vault, boot, patience, monotonicNow, onCommit, freeBytes })
  if (takesOver) takeOver(here)
  const { keyring } = vault.sealer
  const beside = { path: db.name, keyring, boot, patience, monotonicNow, onCommit, after: besideAfter }
  const writing = db.memory ? writingHere(here) : writingBeside(here, beside)
  const checkpoints = db.memory
    ? noCheckpoints
    : checkpointsBeside(db.name, { every: JOBS_BEFORE_THREADS, timers: options.timers ?? backgroundTimers })
  const queue = commitQueue(writing.write, {
    ...options,
    committed: checkpoints.committed,
    isDiskFull: () => isFull(db, freeBytes),
  })
  return {
    ...queue,
    close: async () => {
      await queue.close()
      await Promise.all([writing.close(), checkpoints.close()])
    },
  }
}
