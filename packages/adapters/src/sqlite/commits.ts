// Connects the commit queue, the writer and the checkpoints. The writer runs in this thread or in one of its own.
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
    /** For tests: replaces the disk's own free space. */
    readonly freeBytes?: FreeBytes
    /** For a file: the number of jobs after which another thread writes. 0: it writes from the first job on. */
    readonly besideAfter?: number
    /** True: claims of dead processes are released at once. False: for a process that claims nothing itself. */
    readonly takesOver?: boolean
  }

// A quarter of a second of work in a burst. A process that commits less never starts a thread.
const JOBS_BEFORE_THREADS = 1_000
const PATIENCE = 12

// On a full disk the server starts all the same, and these claims are released when their leases expire.
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
