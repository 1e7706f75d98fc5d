// Group commit: many callers' writes share one commit, so that one flush to disk, or one round trip, pays for all of them.
// Jobs wait first in, first out. All that wait go into the next batch, which reads, decides, encodes and writes in this order.
// It knows nothing about orders, only that jobs with the same key run one after another: each must see what the one before it
// wrote.
//
// Its whole state: the jobs that wait, the keys in flight, the number of batches in flight, and two flags.
import { type CommitListener, type FullStore, toUnavailable, type Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'

export type Job<Write, Result, Answer> = {
  /** Jobs with equal keys run one after another. Null: independent of all others. */
  readonly key: string | null
  /**
   * Reads and decides. Has no side effects, because it runs again after a conflict. May throw.
   *
   * @param conflicts all conflicts that this job has met so far
   */
  readonly plan: (
    conflicts: ReadonlySet<Conflict>,
  ) => Planned<Write, Result, Answer> | Promise<Planned<Write, Result, Answer>>
}

/** `answer`: the caller's answer, from the result that the commit reports. `done`: there is nothing to write. */
export type Planned<Write, Result, Answer> =
  | { readonly type: 'write'; readonly write: Write; readonly answer: (result: Result) => Answer }
  | { readonly type: 'done'; readonly answer: Answer }

/** `changed`: the order has changed since it was read. `reference_taken`: another order holds the reference. */
export type Conflict = 'changed' | 'reference_taken'

/** `conflict`: the job is planned again. `not_run`: the commit had no time for the write, and the next one writes it. */
export type Outcome<Result> =
  | { readonly type: 'committed'; readonly result: Result }
  | { readonly type: 'conflict'; readonly reason: Conflict }
  | { readonly type: 'not_run' }
  | { readonly type: 'failed'; readonly error: Unavailable }

export type GroupCommit<Write, Result> = {
  /**
   * Resolves after the commit. `Left`: nothing was written, except perhaps with the code `outcome_unknown`. With the code
   * `internal_error`, deciding or encoding failed, and trying again would not help.
   *
   * @param options.mayBeRefused false: accepted even if the queue is full, as the result of a claimed job must be
   */
  readonly run: <Answer>(
    job: Job<Write, Result, Answer>,
    options?: { readonly mayBeRefused: boolean },
  ) => Promise<E.Either<Unavailable, Answer>>
  /** Refuses new jobs, and resolves once all waiting jobs are committed. */
  readonly close: () => Promise<void>
}

type GroupCommitOptions<Write, Rows, Result> = {
  /** Turns a write into what the commit sends, for example encrypted rows. If it throws, this job fails alone. */
  readonly encode: (write: Write) => Rows
  /**
   * Commits all writes and reports the outcome of each, in the same order. One that cannot be written fails alone. Notifies
   * the listeners before it resolves, because its callers are answered right after that.
   */
  readonly commit: (writes: readonly Encoded<Write, Rows>[]) => Promise<readonly Outcome<Result>[]>
  readonly toError?: (thrown: unknown) => Unavailable
  /** Jobs that may wait before new ones are refused. */
  readonly capacity?: number | undefined
  readonly maxBatch?: number
  /** Two: the next batch is planned while the previous one is being written. */
  readonly maxInFlight?: 1 | 2
  /** Calls a function once the event loop has turned, and so has collected what arrives together. */
  readonly soon?: (run: () => void) => void
}

export type Encoded<Write, Rows> = { readonly write: Write; readonly rows: Rows }

type PlannedWrite<Write, Result> = Extract<Planned<Write, Result, unknown>, { type: 'write' }>

type Failed = Extract<Outcome<never>, { type: 'failed' }>

type Waiting<Write, Result> = {
  readonly job: Job<Write, Result, unknown>
  readonly conflicts: ReadonlySet<Conflict>
  readonly attempt: number
  readonly resolve: (answer: E.Either<Unavailable, unknown>) => void
}

const CAPACITY = 10_000
const MAX_BATCH = 128
const MAX_ATTEMPTS = 50

const closed: Unavailable = { _tag: 'Unavailable', code: 'closed', message: 'The store is closed.' }

const contended: Unavailable = {
  _tag: 'Unavailable',
  code: 'contended',
  message: 'Too many concurrent updates to this order.',
}

const queueFull = (waiting: number): Unavailable => ({
  _tag: 'Unavailable',
  code: 'queue_full',
  message: `${waiting} steps are waiting already.`,
  waiting,
})

/** How a batch ended for one job. */
type End = { readonly type: 'done'; readonly answer: unknown } | Exclude<Outcome<never>, { type: 'committed' }>

export const groupCommit = <Write, Rows, Result>({
  encode,
  commit,
  toError = toUnavailable,
  capacity = CAPACITY,
  maxBatch = MAX_BATCH,
  maxInFlight = 1,
  soon = setImmediate,
}: GroupCommitOptions<Write, Rows, Result>): GroupCommit<Write, Result> => {
  type Entry = Waiting<Write, Result>

  let waiting: Entry[] = []
  const keysInFlight = new Set<string>()
  let batchesInFlight = 0
  let isScheduled = false
  let isClosed = false

  const schedule = (): void => {
    if (isScheduled || batchesInFlight >= maxInFlight || waiting.length === 0) return
    isScheduled = true
    soon(() => {
      isScheduled = false
      void runBatch(takeBatch())
    })
  }

  /** The oldest jobs, at most one per key. The others keep their order. */
  const takeBatch = (): readonly Entry[] => {
    const batch: Entry[] = []
    const rest: Entry[] = []
    const blocked = new Set(keysInFlight)
    for (const entry of waiting) {
      const { key } = entry.job
      const isFree = batch.length < maxBatch && (key === null || !blocked.has(key))
      if (key !== null) blocked.add(key)
      if (isFree) batch.push(entry)
      else rest.push(entry)
    }
    waiting = rest
    return batch
  }

  const runBatch = async (batch: readonly Entry[]): Promise<void> => {
    if (batch.length === 0) return
    const keys = batch.flatMap(({ job }) => job.key ?? [])
    for (const key of keys) keysInFlight.add(key)
    batchesInFlight += 1
    const ends = await commitPlans(await Promise.all(batch.map(planOrFail)))
    batchesInFlight -= 1
    for (const key of keys) keysInFlight.delete(key)
    const again = batch.flatMap((entry, n) => report(entry, ends[n] ?? { type: 'not_run' }))
    // They are the oldest jobs, so they go first.
    if (again.length > 0) waiting = [...again, ...waiting]
    schedule()
  }

  const planOrFail = async ({ job, conflicts }: Entry): Promise<Planned<Write, Result, unknown> | Failed> => {
    try {
      return await job.plan(conflicts)
    } catch (cause) {
      return { type: 'failed', error: toError(cause) }
    }
  }

  // All jobs have decided before the first one is encoded, and all are encoded before the first one is written. A processor's
  // caches hold the code of only one of these at a time.
  const commitPlans = async (plans: readonly (Planned<Write, Result, unknown> | Failed)[]): Promise<readonly End[]> => {
    const encoded = plans.map((plan) => (plan.type === 'write' ? encodeOrFail(plan) : plan))
    const writes = encoded.flatMap((each) => (each.type === 'encoded' ? [each] : []))
    const outcomes = writes.length === 0 ? [] : await commitOrFail(writes)
    const outcomeOf = new Map(writes.map((each, n) => [each, outcomes[n]]))
    return encoded.map((each): End => {
      if (each.type !== 'encoded') return each
      const outcome = outcomeOf.get(each) ?? { type: 'not_run' }
      return outcome.type === 'committed' ? { type: 'done', answer: each.answer(outcome.result) } : outcome
    })
  }

  const encodeOrFail = ({ write, answer }: PlannedWrite<Write, Result>) => {
    try {
      return { type: 'encoded' as const, write, rows: encode(write), answer }
    } catch (cause) {
      return { type: 'failed' as const, error: toError(cause) }
    }
  }

  const commitOrFail = async (writes: readonly Encoded<Write, Rows>[]): Promise<readonly Outcome<Result>[]> => {
    // While this batch is being written, the next one may be planned.
    schedule()
    try {
      return await commit(writes)
    } catch (cause) {
      const error: Unavailable = { ...toError(cause), code: 'outcome_unknown' }
      return writes.map(() => ({ type: 'failed', error }))
    }
  }

  /** Answers the caller, or returns the job if it must run again. */
  const report = (entry: Entry, end: End): readonly Entry[] => {
    if (end.type === 'not_run') return [entry]
    if (end.type === 'conflict' && entry.attempt < MAX_ATTEMPTS)
      return [{ ...entry, attempt: entry.attempt + 1, conflicts: new Set([...entry.conflicts, end.reason]) }]
    entry.resolve(end.type === 'done' ? E.right(end.answer) : E.left(end.type === 'failed' ? end.error : contended))
    return []
  }

  return {
    run: <Answer>(job: Job<Write, Result, Answer>, { mayBeRefused } = { mayBeRefused: true }) =>
      new Promise<E.Either<Unavailable, Answer>>((resolve) => {
        if (isClosed) return resolve(E.left(closed))
        if (mayBeRefused && waiting.length >= capacity) return resolve(E.left(queueFull(waiting.length)))
        // The queue holds jobs with different answers. Each is resolved only with an answer of its own plan.
        waiting.push({ job, conflicts: new Set(), attempt: 1, resolve: resolve as Entry['resolve'] })
        schedule()
      }),
    close: async () => {
      isClosed = true
      while (waiting.length > 0 || isScheduled || batchesInFlight > 0)
        await new Promise<void>((resolve) => soon(resolve))
    },
  }
}

export type CommitListeners = Pick<FullStore, 'onCommitted'> & {
  /** Call after the commit, before its callers are answered. Infinite: the commit made nothing due. */
  readonly notify: CommitListener
}

/** Reports to this process's workers that a commit has made jobs due. Without it, they would find them only when they poll. */
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
