// Connects the commit queue, the writer and the checkpoints. The writer runs in this thread or in one of its own.
import { randomBytes } from 'node:crypto'
import { backgroundTimers, systemTimers } from '../system/timers.ts'
import { type CommitQueue, type CommitQueueOptions, commitQueue } from './commit-queue.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { noCheckpoints, startCheckpoints } from './wal/checkpoints.ts'
import { type FreeBytes, freeBytesOf, isFull, isOutOfSpace } from './wal/log-space.ts'
import { inlineWriter, threadedWriter } from './writer/threaded-writer.ts'
import type { TransactionOptions } from './writer/transaction.ts'
import { sqliteWriter, type Writer } from './writer/writer.ts'

export type CommitOptions = Omit<CommitQueueOptions, 'committed' | 'isDiskFull'> &
  Partial<Pick<TransactionOptions, 'patience' | 'onCommit'>> & {
    /** For tests: replaces the disk's own free space. */
    readonly freeBytes?: FreeBytes
    /** For a file: the number of jobs after which another thread writes. 0: it writes from the first job on. */
    readonly threadAfterJobs?: number
    /** True: claims of dead processes are released at once. False: for a process that claims nothing itself. */
    readonly reclaimsDeadClaims?: boolean
  }

// A quarter of a second of work in a burst. A process that commits less never starts a thread.
const JOBS_BEFORE_THREADS = 1_000
const COMMIT_MILLIS_MAX = 12

// The server also starts on a full disk, and these claims are released when their leases expire.
const reclaimDeadClaims = ({ reclaimFromDeadProcesses }: Writer): void => {
  try {
    reclaimFromDeadProcesses()
  } catch (cause) {
    if (!isOutOfSpace(cause)) throw cause
  }
}

export const openCommitQueue = (db: Database, dataKeys: DataKeys, options: CommitOptions = {}): CommitQueue => {
  const {
    patience = COMMIT_MILLIS_MAX,
    onCommit,
    threadAfterJobs = JOBS_BEFORE_THREADS,
    reclaimsDeadClaims = true,
    freeBytes = freeBytesOf,
  } = options
  const { timers = systemTimers } = options
  const boot = randomBytes(6).toString('hex')
  const { monotonicNow } = timers
  const writer = sqliteWriter(db, { dataKeys, boot, patience, monotonicNow, onCommit, freeBytes })
  if (reclaimsDeadClaims) reclaimDeadClaims(writer)
  const { keyring } = dataKeys.cipher
  const threadOptions = { path: db.name, keyring, boot, patience, monotonicNow, onCommit, after: threadAfterJobs }
  const batchWriter = db.memory ? inlineWriter(writer) : threadedWriter(writer, threadOptions)
  const checkpoints = db.memory
    ? noCheckpoints
    : startCheckpoints(db.name, { every: JOBS_BEFORE_THREADS, timers: options.timers ?? backgroundTimers })
  const queue = commitQueue(batchWriter.write, {
    ...options,
    committed: checkpoints.onCommit,
    isDiskFull: () => isFull(db, freeBytes),
  })
  return {
    ...queue,
    close: async () => {
      await queue.close()
      await Promise.all([batchWriter.close(), checkpoints.close()])
    },
  }
}
