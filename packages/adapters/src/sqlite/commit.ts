// The group commit of SQLite: connects it with the writer, which runs in this thread or in one of
// its own, and with the checkpoints.
import { randomBytes } from 'node:crypto'
import type { Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createOrderJobs, type OrderJobs } from '../sql/order-jobs.ts'
import { type Committed, isWrite } from '../sql/order-writes.ts'
import {
  backgroundTimers,
  createSteadyClock,
  systemTimers,
  type Timers,
} from '../system/clock-and-ids.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { createOrderReader, type OrderReader } from './order-reader.ts'
import type { Database } from './schema/database.ts'
import { createDiskProbe, type ProbeDisk } from './wal/disk-probe.ts'
import { type FreeBytes, freeBytesOf, isFull, startCheckpoints } from './wal/write-ahead-log.ts'
import type { Command, RunCommand } from './writer/commands.ts'
import { threadedWriter } from './writer/threaded-writer.ts'
import { sqliteWriter, type TransactionOptions } from './writer/writer.ts'

export type WriteQueue = {
  readonly orderJobs: OrderJobs<number, Command>
  readonly reader: OrderReader
  readonly runCommand: RunCommand
  /**
   * True if writes succeed: there is room for a commit, and either none has failed or another one
   * now succeeds.
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
  /** For tests: replaces the disk's own free space. */
  readonly freeBytes?: FreeBytes
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
  const {
    capacity,
    freeBytes = freeBytesOf,
    timers = systemTimers,
    patience = COMMIT_MILLIS_MAX,
    onCommit,
  } = options
  const { realNow = createSteadyClock(timers), threadAfterJobs = JOBS_BEFORE_THREADS } = options
  // Another thread cannot open a database without a file.
  const threadsAfter = db.memory ? Number.POSITIVE_INFINITY : threadAfterJobs
  const common = {
    boot: randomBytes(6).toString('hex'),
    patience,
    monotonicNow: timers.monotonicNow,
    onCommit,
  }
  const writer = threadedWriter(sqliteWriter(db, { ...common, dataKeys, freeBytes }), {
    ...common,
    path: db.name,
    keyring: dataKeys.cipher.keyring,
    after: threadsAfter,
  })
  const checkpoints =
    threadsAfter === Number.POSITIVE_INFINITY
      ? null
      : startCheckpoints(db.name, JOBS_BEFORE_THREADS, options.timers ?? backgroundTimers)

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
  const health = writeHealth(() => isFull(db, freeBytes), runCommand('probe', undefined), {
    probeDisk,
    monotonicNow: systemTimers.monotonicNow,
  })

  const commit = async (commands: readonly Command[]): Promise<Committed<unknown>> => {
    const committed = await writer.write({ commands, now: realNow() })
    checkpoints?.onCommit(committed.outcomes.length)
    for (const [n, command] of commands.entries()) {
      const outcome = committed.outcomes[n] ?? null
      if (outcome !== null && E.isLeft(outcome)) health.noteFailure(outcome.left)
      // Another command may find nothing to write, and then shows nothing about the disk.
      else if (outcome !== null && isWrite(command)) health.noteSuccess()
    }
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
    takesWrites: health.takesWrites,
    probeDisk,
    close: async () => {
      await orderJobs.close()
      await Promise.all([writer.close(), checkpoints?.close()])
    },
  }
}

// How long a commit shows that the disk can be written.
const SUCCESS_VALID_MILLIS = 1_000

/**
 * A failed write shows that the disk takes no writes, until a probe succeeds. An internal error
 * says nothing about the disk.
 */
const writeHealth = (
  isDiskFull: () => boolean,
  probe: TaskEither<Unavailable, void>,
  { probeDisk, monotonicNow }: { readonly probeDisk: ProbeDisk } & Pick<Timers, 'monotonicNow'>,
) => {
  let succeededAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failuresAtLastProbe = 0
  let probing: ReturnType<typeof probe> | null = null
  return {
    noteFailure: ({ code }: Unavailable): void => {
      if (code !== 'internal_error') failures += 1
    },
    noteSuccess: (): void => {
      succeededAt = monotonicNow()
    },
    takesWrites: async (): Promise<boolean> => {
      // A probe is smaller than the writes of orders, so it might fit where they do not.
      if (isDiskFull()) return false
      if (failures === failuresAtLastProbe)
        return monotonicNow() - succeededAt < SUCCESS_VALID_MILLIS || (await probeDisk()) === null
      const failuresBefore = failures
      // Concurrent callers share one probe.
      probing ??= probe().finally(() => {
        probing = null
      })
      if (E.isLeft(await probing)) return false
      failuresAtLastProbe = Math.max(failuresAtLastProbe, failuresBefore)
      return failures === failuresAtLastProbe
    },
  }
}
