// The group commit of SQLite: connects it with the writer, which runs in this thread or in one of its own, and with the
// checkpoints.
import { randomBytes } from 'node:crypto'
import type { Step, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { type Committed, type Encoded, type GroupCommit, groupCommit, type Outcome } from '../sql/group-commit.ts'
import type { OrderWrite } from '../sql/order-jobs.ts'
import { type CommitListeners, createCommitListeners } from '../sql/storage.ts'
import { backgroundTimers, createSteadyClock, systemTimers, type Timers } from '../system/clock-and-ids.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { CachedOrder } from './order-cache.ts'
import type { Database } from './schema/database.ts'
import { toCompletionWrite, toPlaceWrite, toStepWrite } from './step-rows.ts'
import { sqliteUnavailable } from './unavailable.ts'
import { type FreeBytes, freeBytesOf, isFull, noCheckpoints, startCheckpoints } from './wal/write-ahead-log.ts'
import type { Command, CommandOf, Commands } from './writer/commands.ts'
import { inlineWriter, threadedWriter } from './writer/threaded-writer.ts'
import { sqliteWriter, type TransactionOptions } from './writer/writer.ts'

type PlaceWrite = { readonly type: 'place'; readonly step: Step; readonly payload: string }

type CommandWrite = { readonly type: 'command'; readonly command: Command }

type QueuedWrite = OrderWrite<CachedOrder> | PlaceWrite | CommandWrite

export type WriteQueue = Pick<CommitListeners, 'onCommitted'> & {
  /** The commit reports the result of the command, as the writer gave it. */
  readonly run: GroupCommit<QueuedWrite, unknown>['run']
  /** Runs a command that decides nothing. `Left` if it failed or was refused. */
  readonly ask: <Name extends keyof Commands>(
    command: CommandOf<Name>,
  ) => Promise<E.Either<Unavailable, ReturnType<Commands[Name]>>>
  /** True if writes succeed. Tries one if a write has failed since the last check, or if the disk is full. */
  readonly takesWrites: () => Promise<boolean>
  /** Refuses new jobs, and resolves once all waiting jobs are committed. */
  readonly close: () => Promise<void>
}

export type WriteQueueOptions = Partial<Pick<TransactionOptions, 'patience' | 'onCommit'>> & {
  /** With this many waiting jobs, new requests are refused and may be retried. */
  readonly capacity?: number
  readonly timers?: Timers
  /** Real time, used only for leases. By default it is not affected when the machine's clock is set. */
  readonly realNow?: () => number
  /** For tests: replaces the disk's own free space. */
  readonly freeBytes?: FreeBytes
  /** For a file: the number of jobs after which another thread writes. 0: it writes from the first job on. */
  readonly threadAfterJobs?: number
}

// A quarter of a second of work in a burst. A process that commits less never starts a thread.
const JOBS_BEFORE_THREADS = 1_000
// Commands come from jobs, from pages of operators, and from the sandbox's clock. No shopper waits for one.
const BACKGROUND = { isBackground: true }
const COMMIT_MILLIS_MAX = 12

export const openWriteQueue = (db: Database, dataKeys: DataKeys, options: WriteQueueOptions = {}): WriteQueue => {
  const { capacity, freeBytes = freeBytesOf, timers = systemTimers } = options
  const { realNow = createSteadyClock(timers) } = options
  const writer = openWriter(db, dataKeys, { ...options, freeBytes, timers })
  const checkpoints = db.memory
    ? noCheckpoints
    : startCheckpoints(db.name, { every: JOBS_BEFORE_THREADS, timers: options.timers ?? backgroundTimers })
  const listeners = createCommitListeners()
  const health = writeHealth(
    () => isFull(db, freeBytes),
    () => ask({ name: 'probe', input: undefined }),
  )

  const commit = async (writes: readonly Encoded<QueuedWrite, Command>[]): Promise<Committed<unknown>> => {
    const { outcomes, nextDueAt } = await writer.write({ commands: writes.map(({ rows }) => rows), now: realNow() })
    checkpoints.onCommit(outcomes.length)
    const reported = writes.map(({ write }, n) => {
      const outcome = toOutcome(write, outcomes[n] ?? null)
      if (outcome.type === 'failed') health.noteFailure(outcome.error)
      return outcome
    })
    return { outcomes: reported, nextDueAt }
  }

  const queue = groupCommit<QueuedWrite, Command, unknown>({
    encode: toCommand,
    commit,
    notify: listeners.notify,
    toError: sqliteUnavailable,
    capacity,
    maxInFlight: 2,
    soon: timers.soon,
    monotonicNow: timers.monotonicNow,
  })

  const ask: WriteQueue['ask'] = (command) =>
    queue.run(
      {
        key: null,
        plan: () => ({
          type: 'write',
          // The compiler loses the tie between a command's name and its input, and between its name and its result.
          write: { type: 'command', command: command as unknown as Command },
          answer: (result) => result as never,
        }),
      },
      BACKGROUND,
    )

  return {
    run: queue.run,
    ask,
    onCommitted: listeners.onCommitted,
    takesWrites: health.takesWrites,
    close: async () => {
      await queue.close()
      await Promise.all([writer.close(), checkpoints.close()])
    },
  }
}

const openWriter = (
  db: Database,
  dataKeys: DataKeys,
  options: WriteQueueOptions & { readonly freeBytes: FreeBytes; readonly timers: Timers },
) => {
  const { patience = COMMIT_MILLIS_MAX, threadAfterJobs = JOBS_BEFORE_THREADS, onCommit, freeBytes, timers } = options
  const common = { boot: randomBytes(6).toString('hex'), patience, monotonicNow: timers.monotonicNow, onCommit }
  const writer = sqliteWriter(db, { ...common, dataKeys, freeBytes })
  if (db.memory) return inlineWriter(writer)
  return threadedWriter(writer, {
    ...common,
    path: db.name,
    keyring: dataKeys.cipher.keyring,
    after: threadAfterJobs,
  })
}

const toCommand = (write: QueuedWrite): Command => {
  switch (write.type) {
    case 'place':
      return { name: 'place', input: toPlaceWrite(write.step, write.payload) }
    case 'step':
      return { name: 'step', input: toStepWrite(write) }
    case 'completion':
      return { name: 'complete', input: toCompletionWrite(write) }
    case 'release':
      return { name: 'release', input: { token: write.token, as: write.as } }
    case 'command':
      return write.command
  }
}

// The first decision of a step does not know that the reference is taken, so the step is decided once more.
const toOutcome = (write: QueuedWrite, outcome: E.Either<Unavailable, unknown> | null): Outcome<unknown> => {
  if (outcome === null) return { type: 'not_run' }
  if (E.isLeft(outcome)) return { type: 'failed', error: outcome.left }
  const result = outcome.right
  if (result === 'changed') return { type: 'conflict', reason: 'changed' }
  if (result === 'reference_taken' && 'isReferenceTaken' in write && !write.isReferenceTaken)
    return { type: 'conflict', reason: 'reference_taken' }
  return { type: 'committed', result }
}

/** A failed write shows that the disk takes no writes, until a probe succeeds. An internal error says nothing about the disk. */
const writeHealth = (isDiskFull: () => boolean, probe: WriteQueueProbe) => {
  let failures = 0
  let forgiven = 0
  let probing: ReturnType<WriteQueueProbe> | null = null
  return {
    noteFailure: ({ code }: Unavailable): void => {
      if (code !== 'internal_error') failures += 1
    },
    takesWrites: async (): Promise<boolean> => {
      if (failures === forgiven && !isDiskFull()) return true
      const failuresBefore = failures
      // Concurrent callers share one probe.
      probing ??= probe().finally(() => {
        probing = null
      })
      if (E.isLeft(await probing)) return false
      forgiven = Math.max(forgiven, failuresBefore)
      return failures === forgiven
    },
  }
}

type WriteQueueProbe = () => Promise<E.Either<Unavailable, void>>
