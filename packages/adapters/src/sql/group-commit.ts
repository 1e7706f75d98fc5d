// Group commit: many callers' writes share one commit, so that one flush to disk, or one round
// trip, pays for all of them. Jobs wait first in, first out. All that wait go into the next batch,
// which reads, decides, encodes and writes in this order. It knows nothing about orders, only that
// jobs with the same key run one after another: each must see what the one before it wrote.
//
// Its whole state: the jobs that wait, the keys in flight, the numbers of batches and requests in
// flight, three instants that decide the priority of requests, and two flags.
import { toUnavailable, type Unavailable } from '@plazo/core/ports'
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
  ) => PlannedJob<Write, Result, Answer> | Promise<PlannedJob<Write, Result, Answer>>
}

/**
 * `encode`: the write, as plain data. If it throws, this job fails alone. `answer`: the caller's
 * answer, from the result that the commit reports, or why the job must be planned again. `done`:
 * there is nothing to write.
 */
export type PlannedJob<Write, Result, Answer> =
  | {
      readonly type: 'write'
      readonly encode: () => Write
      readonly answer: (result: Result) => E.Either<Conflict, Answer>
    }
  | { readonly type: 'done'; readonly answer: Answer }

/**
 * `changed`: the order has changed since it was read. `reference_taken`: another order holds the
 * reference.
 */
export type Conflict = 'changed' | 'reference_taken'

/** Null: the commit had no time for the write, and the next one writes it. */
export type Outcome<Result> = E.Either<Unavailable, Result> | null

export type GroupCommit<Write, Result> = {
  /**
   * Resolves after the commit. `Left`: nothing was written, except perhaps with the code
   * `outcome_unknown`. With the code `internal_error`, deciding or encoding failed, and trying
   * again would not help.
   *
   * @param options.isBackground no request waits for the answer. The job is accepted even if the queue is full, because the
   *   result of a claimed job must not be lost; in a burst of requests it lets them go first.
   */
  readonly run: <Answer>(
    job: Job<Write, Result, Answer>,
    options?: { readonly isBackground: boolean },
  ) => Promise<E.Either<Unavailable, Answer>>
  /** Refuses new jobs, and resolves once all waiting jobs are committed. */
  readonly close: () => Promise<void>
}

export type GroupCommitOptions<Write, Result> = {
  /**
   * Commits all writes. One that cannot be written fails alone. Returns an outcome for each write, in
   * the same order. The last ones may be missing, as if they were null.
   */
  readonly commit: (writes: readonly Write[]) => Promise<readonly Outcome<Result>[]>
  /** Jobs that may wait before new ones are refused. */
  readonly capacity?: number | undefined
  readonly maxBatch?: number
  /** Two: the next batch is planned while the previous one is being written. */
  readonly maxInFlight?: 1 | 2
  /**
   * Calls a function once the event loop has turned, and so has collected what arrives together.
   */
  readonly soon?: (run: () => void) => void
  /** Milliseconds since an arbitrary instant. They never decrease. */
  readonly monotonicNow?: () => number
}

type PlannedWrite<Write, Result> = Extract<PlannedJob<Write, Result, unknown>, { type: 'write' }>

type Failed = { readonly type: 'failed'; readonly error: Unavailable }

type WaitingJob<Write, Result> = {
  readonly isBackground: boolean
  readonly job: Job<Write, Result, unknown>
  readonly conflicts: ReadonlySet<Conflict>
  readonly attempt: number
  readonly resolve: (answer: E.Either<Unavailable, unknown>) => void
}

const CAPACITY = 10_000
const MAX_BATCH = 128
// Fewer requests have no priority: background work that shares their commit delays them little, and
// saves a flush.
const MANY_REQUESTS = 16
const PRIORITY_MILLIS = 1_000
const QUIET_MILLIS = 250
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

const countRequests = (entries: readonly { readonly isBackground: boolean }[]): number =>
  entries.filter(({ isBackground }) => !isBackground).length

/**
 * The priority of many requests over background work. A burst begins after a quarter of a second
 * without requests. Its requests are written alone, so that shoppers get their answers first. Under
 * lasting load, requests only go first.
 */
type Priority = 'requests_only' | 'requests_first' | 'none'

/** How a batch ended for one job. */
type End =
  | { readonly type: 'done'; readonly answer: unknown }
  | { readonly type: 'conflict'; readonly reason: Conflict }
  | { readonly type: 'not_run' }
  | Failed

export const groupCommit = <Write, Result>({
  commit,
  capacity = CAPACITY,
  maxBatch = MAX_BATCH,
  maxInFlight = 1,
  soon = setImmediate,
  monotonicNow = () => performance.now(),
}: GroupCommitOptions<Write, Result>): GroupCommit<Write, Result> => {
  type Entry = WaitingJob<Write, Result>

  let waiting: Entry[] = []
  const keysInFlight = new Set<string>()
  let batchesInFlight = 0
  let requestsInFlight = 0
  let answeredAt = Number.NEGATIVE_INFINITY
  let burstSince: number | null = null
  let manySince: number | null = null
  let isScheduled = false
  let isClosed = false

  const schedule = (): void => {
    if (isScheduled || batchesInFlight >= maxInFlight || waiting.length === 0) return
    isScheduled = true
    gather(0)
  }

  /**
   * Takes what waits once a turn of the event loop brings nothing more, or the batch is full.
   * Answers of one commit bring their callers' next jobs over several turns: without this, the
   * first few would make a commit of their own.
   */
  const gather = (gathered: number): void =>
    soon(() => {
      const isGrowing = waiting.length > gathered && waiting.length < maxBatch
      if (isGrowing && batchesInFlight === 0) return gather(waiting.length)
      isScheduled = false
      void runBatch(takeBatch())
    })

  /** Background work never waits longer than a second: then all jobs take their turns. */
  const priorityOf = (unanswered: number): Priority => {
    const now = monotonicNow()
    if (requestsInFlight === 0 && now - answeredAt >= QUIET_MILLIS) burstSince = null
    if (unanswered < MANY_REQUESTS) {
      manySince = null
      return 'none'
    }
    burstSince ??= now
    manySince ??= now
    if (now - burstSince < PRIORITY_MILLIS) return 'requests_only'
    return now - manySince < PRIORITY_MILLIS ? 'requests_first' : 'none'
  }

  /**
   * A burst is divided into as many batches as may be in flight, so that one is decided while
   * another is written. Requests go before background work on their own order too, or they would
   * wait as long as it does.
   */
  const takeBatch = (): readonly Entry[] => {
    const requests = waiting.filter(({ isBackground }) => !isBackground)
    const unanswered = requests.length + requestsInFlight
    const priority = priorityOf(unanswered)
    if (priority === 'requests_only')
      return takeOldest(requests, Math.ceil(unanswered / maxInFlight))
    const first = priority === 'requests_first' ? takeOldest(requests) : []
    return first.length > 0 ? first : takeOldest(waiting)
  }

  /** At most one job per key. The others keep their order. */
  const takeOldest = (candidates: readonly Entry[], limit = maxBatch): readonly Entry[] => {
    const size = Math.min(limit, maxBatch)
    const batch = new Set<Entry>()
    const blocked = new Set(keysInFlight)
    for (const entry of candidates) {
      const { key } = entry.job
      if (batch.size < size && (key === null || !blocked.has(key))) batch.add(entry)
      if (key !== null) blocked.add(key)
    }
    waiting = waiting.filter((entry) => !batch.has(entry))
    return [...batch]
  }

  const runBatch = async (batch: readonly Entry[]): Promise<void> => {
    if (batch.length === 0) return
    const keys = batch.flatMap(({ job }) => job.key ?? [])
    for (const key of keys) keysInFlight.add(key)
    const requests = countRequests(batch)
    requestsInFlight += requests
    batchesInFlight += 1
    const ends = await commitPlans(await Promise.all(batch.map(planOrFail)))
    batchesInFlight -= 1
    requestsInFlight -= requests
    if (requests > 0) answeredAt = monotonicNow()
    for (const key of keys) keysInFlight.delete(key)
    const jobsToRetry = batch.flatMap((entry, n) => report(entry, ends[n] ?? { type: 'not_run' }))
    // They are the oldest jobs, so they go first.
    if (jobsToRetry.length > 0) waiting = [...jobsToRetry, ...waiting]
    schedule()
  }

  const planOrFail = async ({
    job,
    conflicts,
  }: Entry): Promise<PlannedJob<Write, Result, unknown> | Failed> => {
    try {
      return await job.plan(conflicts)
    } catch (cause) {
      return { type: 'failed', error: toUnavailable(cause) }
    }
  }

  // All jobs have decided before the first one is encoded, and all are encoded before the first one
  // is written. A processor's caches hold the code of only one of these at a time.
  const commitPlans = async (
    plans: readonly (PlannedJob<Write, Result, unknown> | Failed)[],
  ): Promise<readonly End[]> => {
    const encoded = plans.map((plan) => (plan.type === 'write' ? encodeOrFail(plan) : plan))
    const writes = encoded.flatMap((each) => (each.type === 'encoded' ? [each.write] : []))
    const outcomes = writes.length === 0 ? [] : await commitOrFail(writes)
    let written = 0
    return encoded.map((each) =>
      each.type === 'encoded' ? toEnd(each.answer, outcomes[written++] ?? null) : each,
    )
  }

  const encodeOrFail = ({ encode, answer }: PlannedWrite<Write, Result>) => {
    try {
      return { type: 'encoded' as const, write: encode(), answer }
    } catch (cause) {
      return { type: 'failed' as const, error: toUnavailable(cause) }
    }
  }

  const toEnd = (answer: PlannedWrite<Write, Result>['answer'], outcome: Outcome<Result>): End => {
    if (outcome === null) return { type: 'not_run' }
    if (E.isLeft(outcome)) return { type: 'failed', error: outcome.left }
    const answered = answer(outcome.right)
    return E.isLeft(answered)
      ? { type: 'conflict', reason: answered.left }
      : { type: 'done', answer: answered.right }
  }

  const commitOrFail = async (writes: readonly Write[]): Promise<readonly Outcome<Result>[]> => {
    // While this batch is being written, the next one may be planned.
    schedule()
    try {
      return await commit(writes)
    } catch (cause) {
      return writes.map(() => E.left({ ...toUnavailable(cause), code: 'outcome_unknown' }))
    }
  }

  /** Answers the caller, or returns the job if it must run again. */
  const report = (entry: Entry, end: End): readonly Entry[] => {
    if (end.type === 'not_run') return [entry]
    if (end.type === 'conflict' && entry.attempt < MAX_ATTEMPTS)
      return [
        {
          ...entry,
          attempt: entry.attempt + 1,
          conflicts: new Set([...entry.conflicts, end.reason]),
        },
      ]
    entry.resolve(
      end.type === 'done'
        ? E.right(end.answer)
        : E.left(end.type === 'failed' ? end.error : contended),
    )
    return []
  }

  return {
    run: <Answer>(job: Job<Write, Result, Answer>, { isBackground } = { isBackground: false }) =>
      new Promise<E.Either<Unavailable, Answer>>((resolve) => {
        if (isClosed) return resolve(E.left(closed))
        if (!isBackground && waiting.length >= capacity)
          return resolve(E.left(queueFull(waiting.length)))
        // The queue holds jobs with different answers. Each is resolved only with an answer of its
        // own plan.
        waiting.push({
          isBackground,
          job,
          conflicts: new Set(),
          attempt: 1,
          resolve: resolve as Entry['resolve'],
        })
        schedule()
      }),
    close: async () => {
      isClosed = true
      while (waiting.length > 0 || isScheduled || batchesInFlight > 0)
        await new Promise<void>((resolve) => soon(resolve))
    },
  }
}
