// The group commit of SQLite: connects it with the writer, which runs in this thread or in one of
// its own, and with the checkpoints.
import { randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { createOrderJobs, type OrderJobs } from '../sql/order-jobs.ts'
import type { Committed } from '../sql/order-writes.ts'
import { createSteadyClock, systemTimers, type Timers } from '../system/clock-and-ids.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { createOrderReader, type OrderReader } from './order-reader.ts'
import type { Database } from './schema/database.ts'
import { createDiskProbe, type ProbeDisk } from './wal/disk-probe.ts'
import { isFull, startCheckpoints } from './wal/write-ahead-log.ts'
import type { Command, RunCommand } from './writer/commands.ts'
import { threadedWriter } from './writer/threaded-writer.ts'
import { sqliteWriter, type TransactionOptions } from './writer/writer.ts'

export type WriteQueue = {
  readonly orderJobs: OrderJobs<number, Command>
  readonly reader: OrderReader
  readonly runCommand: RunCommand
  /**
   * True if writes succeed: there is room for a commit, and either the last one has not failed or
   * another one now succeeds.
   */
  readonly takesWrites: () => Promise<boolean>
  readonly probeDisk: ProbeDisk
  /** Refuses new jobs, and resolves once all waiting jobs are committed. */
  readonly close: () => Promise<void>
}

export type WriteQueueOptions = Partial<Pick<TransactionOptions, 'patience' | 'onCommit'>> & {
  /** With this many waiting jobs, new requests are refused and may be retried. */
  readonly capacity?: number
  readonly timers?: Timers
  /**
   * Real time, used only for leases. By default it is not affected when the machine's clock is set.
   */
  readonly realNow?: () => number
  /**
   * For a file: the number of jobs after which another thread writes. 0: it writes from the first
   * job on. Infinity: no other thread opens the file.
   */
  readonly threadAfterJobs?: number
}

// A quarter of a second of work in a burst. A process that commits less never starts a thread.
const JOBS_BEFORE_THREADS = 1_000
// Commands come from jobs, from pages of operators, and from writes of records. No shopper waits
// for one.
const BACKGROUND = { isBackground: true }
const COMMIT_MILLIS_MAX = 12

export const openWriteQueue = (
  db: Database,
  dataKeys: DataKeys,
  options: WriteQueueOptions = {},
): WriteQueue => {
  const { capacity, timers = systemTimers, patience = COMMIT_MILLIS_MAX, onCommit } = options
  const { realNow = createSteadyClock(timers), threadAfterJobs = JOBS_BEFORE_THREADS } = options
  // Another thread cannot open a database without a file.
  const threadsAfter = db.memory ? Number.POSITIVE_INFINITY : threadAfterJobs
  const common = {
    boot: randomBytes(6).toString('hex'),
    patience,
    monotonicNow: timers.monotonicNow,
    onCommit,
  }
  const writer = threadedWriter(sqliteWriter(db, { ...common, dataKeys }), {
    ...common,
    path: db.name,
    keyring: dataKeys.cipher.keyring,
    after: threadsAfter,
  })
  const checkpoints =
    threadsAfter === Number.POSITIVE_INFINITY
      ? null
      : startCheckpoints(db.name, JOBS_BEFORE_THREADS)

  const runCommand: RunCommand = (name, input) => () =>
    orderJobs.run(
      {
        key: null,
        plan: () => ({
          type: 'write',
          // The compiler loses the tie between a command's name and its input, and between its name
          // and its result.
          encode: () => ({ name, input }) as Command,
          answer: (result) => E.right(result as never),
        }),
      },
      BACKGROUND,
    )

  const probeDisk = db.memory ? async () => null : createDiskProbe(db.name, systemTimers)
  // Of the last write. An internal error says nothing about the disk.
  let hasFailed = false

  const commit = async (commands: readonly Command[]): Promise<Committed<unknown>> => {
    const committed = await writer.write({ commands, now: realNow() })
    checkpoints?.onCommit(committed.outcomes.length)
    for (const outcome of committed.outcomes)
      if (outcome !== null && E.isLeft(outcome) && outcome.left.code !== 'internal_error')
        hasFailed = true
    return committed
  }

  const reader = createOrderReader(db, dataKeys)
  const orderJobs: OrderJobs<number, Command> = createOrderJobs(
    { readOrders: reader.readOrders, commit },
    reader.cache,
    {
      capacity,
      maxInFlight: 2,
      soon: timers.soon,
      monotonicNow: timers.monotonicNow,
    },
  )

  return {
    orderJobs,
    reader,
    runCommand,
    takesWrites: async () => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (isFull(db)) return false
      if (!hasFailed) return (await probeDisk()) === null
      hasFailed = E.isLeft(await runCommand('probe', undefined)())
      return !hasFailed
    },
    probeDisk,
    close: async () => {
      await orderJobs.close()
      await Promise.all([writer.close(), checkpoints?.close()])
    },
  }
}
