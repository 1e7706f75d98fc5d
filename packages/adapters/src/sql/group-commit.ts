// Group commit: many callers' writes share one commit, so that one flush to disk, or one round
// trip, pays for all of them. A batch has all requests that wait, and a part of the background work,
// so that neither waits long for the other. It reads and decides, and then writes. This knows nothing
// about orders, only that jobs with the same key run one after another: each must see what the one
// before it wrote.
//
// Its whole state: the jobs that wait, the keys and the number of batches in flight, and two flags.
import { toUnavailable, type Unavailable, unavailable } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export type Job<Write, Result, Answer> = {
  /** Jobs with equal keys run one after another. */
  readonly key: string
  /**
   * No request waits for the answer. The job is accepted even if the queue is full, because the result
   * of an attempt must not be lost.
   */
  readonly isBackground: boolean
  /**
   * Reads and decides. Has no side effects, because it runs again after a conflict. If it throws,
   * this job fails alone.
   *
   * @param conflicts all conflicts that this job has met so far
   */
  readonly plan: (conflicts: readonly Conflict[]) => Promise<PlannedJob<Write, Result, Answer>>
}

/**
 * `answer`: the caller's answer, from the result that the commit reports, or why the job must be
 * planned again. `done`: there is nothing to write.
 */
export type PlannedJob<Write, Result, Answer> =
  | {
      readonly type: 'write'
      readonly write: Write
      readonly answer: (result: Result) => E.Either<Conflict, Answer>
    }
  | { readonly type: 'done'; readonly answer: Answer }

/**
 * `changed`: the order has changed since it was read. `reference_taken`: another order holds the
 * reference.
 */
export type Conflict = 'changed' | 'reference_taken'

export type GroupCommitOptions<Write, Result> = {
  /**
   * Commits all writes. One that cannot be written fails alone. Returns an outcome for each write, in
   * the same order.
   */
  readonly commit: (writes: readonly Write[]) => Promise<readonly E.Either<Unavailable, Result>[]>
  /** Jobs that may wait before new requests are refused. */
  readonly capacity?: number | undefined
  readonly maxBatch?: number
  /** Two: the next batch is decided while the previous one is being written. */
  readonly maxInFlight?: 1 | 2
  /**
   * Calls a function once the event loop has turned, and so has collected what arrives together.
   */
  readonly soon?: (run: () => void) => void
}

type WaitingJob<Write, Result> = {
  readonly job: Job<Write, Result, unknown>
  readonly conflicts: readonly Conflict[]
  readonly resolve: (answer: E.Either<Unavailable, unknown>) => void
}

/** How a batch ended for one job. */
type End = E.Either<Unavailable | Conflict, unknown>

const CAPACITY = 10_000
const MAX_BATCH = 128
const MAX_ATTEMPTS = 50

const CLOSED = unavailable('closed', 'The store is closed.')

const CONTENDED = unavailable('contended', 'Too many concurrent updates to this order.')

const queueFull = (waiting: number): Unavailable => ({
  _tag: 'Unavailable',
  code: 'queue_full',
  message: `${waiting} steps are waiting already.`,
  waiting,
})

export const groupCommit = <Write, Result>({
  commit,
  capacity = CAPACITY,
  maxBatch = MAX_BATCH,
  maxInFlight = 1,
  soon = setImmediate,
}: GroupCommitOptions<Write, Result>) => {
  type Entry = WaitingJob<Write, Result>

  let waiting: Entry[] = []
  const keysInFlight = new Set<string>()
  let batchesInFlight = 0
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
      if (isGrowing) return gather(waiting.length)
      isScheduled = false
      void runBatch(takeBatch())
    })

  /**
   * Background work has a quarter of a batch to itself, and no more than that if there are requests.
   * Requests go before background work on their own order too, or they would wait as long as it does.
   */
  const takeBatch = (): readonly Entry[] => {
    const background = waiting.filter(({ job }) => job.isBackground)
    const requests = waiting.filter(({ job }) => !job.isBackground)
    const share = Math.min(background.length, Math.ceil(maxBatch / 4))
    const batch = new Set<Entry>()
    const usedKeys = new Set(keysInFlight)
    const takeOldest = (entries: readonly Entry[], size: number): void => {
      for (const entry of entries) {
        if (batch.size < size && !usedKeys.has(entry.job.key)) batch.add(entry)
        usedKeys.add(entry.job.key)
      }
    }
    takeOldest(requests, maxBatch - share)
    takeOldest(background, batch.size === 0 ? maxBatch : batch.size + share)
    waiting = waiting.filter((entry) => !batch.has(entry))
    return [...batch]
  }

  const runBatch = async (batch: readonly Entry[]): Promise<void> => {
    if (batch.length === 0) return
    batchesInFlight += 1
    for (const { job } of batch) keysInFlight.add(job.key)
    const plans = await Promise.all(
      batch.map(({ job, conflicts }) => TE.tryCatch(() => job.plan(conflicts), toUnavailable)()),
    )
    const ends = await commitPlans(plans)
    batchesInFlight -= 1
    for (const { job } of batch) keysInFlight.delete(job.key)
    // They are the oldest jobs, so they go first.
    waiting = [...batch.flatMap((entry, n) => report(entry, ends[n] as End)), ...waiting]
    schedule()
  }

  const commitPlans = async (
    plans: readonly E.Either<Unavailable, PlannedJob<Write, Result, unknown>>[],
  ): Promise<readonly End[]> => {
    const writes = plans.flatMap((plan) =>
      E.isRight(plan) && plan.right.type === 'write' ? plan.right.write : [],
    )
    const outcomes = writes.length === 0 ? [] : await commitOrFail(writes)
    let written = 0
    return plans.map(
      E.chainW((plan): End => {
        if (plan.type === 'done') return E.right(plan.answer)
        return E.chainW(plan.answer)(outcomes[written++] as E.Either<Unavailable, Result>)
      }),
    )
  }

  const commitOrFail = async (
    writes: readonly Write[],
  ): Promise<readonly E.Either<Unavailable, Result>[]> => {
    try {
      const outcomes = commit(writes)
      schedule()
      return await outcomes
    } catch (cause) {
      return writes.map(() => E.left({ ...toUnavailable(cause), code: 'outcome_unknown' }))
    }
  }

  /** Answers the caller, or returns the job if it must run again. */
  const report = (entry: Entry, end: End): readonly Entry[] => {
    if (E.isRight(end)) entry.resolve(end)
    else if (typeof end.left !== 'string') entry.resolve(E.left(end.left))
    else if (entry.conflicts.length + 1 === MAX_ATTEMPTS) entry.resolve(CONTENDED)
    else return [{ ...entry, conflicts: [...entry.conflicts, end.left] }]
    return []
  }

  return {
    /**
     * Resolves after the commit. `Left`: nothing was written, except perhaps with the code
     * `outcome_unknown`. With the code `internal_error`, deciding failed, and trying again would not
     * help.
     */
    run: <Answer>(job: Job<Write, Result, Answer>): Promise<E.Either<Unavailable, Answer>> =>
      new Promise((resolve) => {
        if (isClosed) return resolve(CLOSED)
        if (!job.isBackground && waiting.length >= capacity)
          return resolve(E.left(queueFull(waiting.length)))
        // The queue holds jobs with different answers. Each is resolved only with an answer of its
        // own plan.
        waiting.push({ job, conflicts: [], resolve: resolve as Entry['resolve'] })
        schedule()
      }),
    /** Refuses new jobs, and resolves once all waiting jobs are committed. */
    close: async (): Promise<void> => {
      isClosed = true
      while (waiting.length > 0 || isScheduled || batchesInFlight > 0)
        await new Promise<void>((resolve) => soon(resolve))
    },
  }
}
