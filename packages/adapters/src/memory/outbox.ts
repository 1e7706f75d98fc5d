// The job queue of the memory store. Jobs wait in lanes, are claimed with a lease and a token, and
// finish or are retried.
import type { Effect, Order } from '@plazo/core'
import {
  type AttemptResult,
  type ClaimRequest,
  type Completion,
  type CompletionResult,
  type DoEffect,
  type FinalStatus,
  isMerchantRequest,
  type Job,
  type ManualTrigger,
  type MerchantRequest,
  outcomeOf,
  type PendingJob,
  type QueueName,
  type QueueStats,
  type ReleasedAs,
  type Report,
  toUnavailable,
  type Unavailable,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { MemoryEndpoints } from './endpoints.ts'
import {
  beginAttempt,
  completeAttempt,
  createJobTable,
  createShareLookup,
  deliveryOf,
  isUnfinished,
  type MemoryJob,
  takeTurns,
  unclaim,
} from './job-table.ts'

const SLOW_MERCHANTS_MAX = 100

const excludes = ({ effect }: MemoryJob, { lane }: MemoryJob): boolean =>
  lane !== null && effect.excludes === lane

/** If a decision throws, only its own caller fails, and nothing has been written yet. */
export const runOrUnavailable =
  <Err, A>(run: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
  async () =>
    E.flattenW(E.tryCatch(run, toUnavailable))

export type MemoryOutbox = ReturnType<typeof memoryOutbox>

/** `realNow`: real time, used only for leases. */
export const memoryOutbox = (realNow: () => number, endpoints: MemoryEndpoints) => {
  const { live, ofOrder, deliveries, unfinishedIn, insert, removeFromOrder, drop } =
    createJobTable()
  let claims = 0

  const finish = <As extends FinalStatus | 'stuck'>(job: MemoryJob, as: As): As => {
    job.state = as
    job.token = null
    if (as !== 'stuck') live.delete(job)
    if (job.queue === 'work' && as !== 'stuck') removeFromOrder(job)
    const [first] = unfinishedIn(job.orderRef, job.lane)
    if (first?.state === 'queued') first.state = 'pending'
    return as
  }

  // A job is never in flight together with a job in the lane that it excludes: the earlier one runs
  // first.
  const isBlocked = (job: MemoryJob): boolean =>
    ofOrder(job.orderRef).some(
      (other) =>
        (other.state === 'claimed' && (excludes(job, other) || excludes(other, job))) ||
        (other.state === 'pending' && excludes(other, job) && other.dueAt <= job.dueAt),
    )

  const claimJob = (job: MemoryJob, { at, lease }: Pick<ClaimRequest, 'at' | 'lease'>): Job => {
    job.state = 'claimed'
    job.token = `${claims++}`
    job.leaseUntil = realNow() + lease
    job.firstAt ??= at
    const { orderRef, merchantRef, firstAt, token, queue, cause, resendOf } = job
    const { key, lane, payload, expiresAt } = job.effect
    const delivery = deliveryOf(job)
    delivery.attempts += 1
    job.attempt = delivery.attempts
    if (resendOf === null) job.cause = null
    if (queue !== 'work') beginAttempt(job, cause ?? 'schedule', at)
    const unclaimed = { key, orderRef, merchantRef, lane, payload, expiresAt }
    return {
      ...unclaimed,
      attempt: delivery.attempts,
      isResend: resendOf !== null,
      firstAt,
      startedAt: at,
      token,
    }
  }

  const addEffect = ({ placed, context }: Order, effect: DoEffect): void => {
    const { orderRef, merchant } = placed
    const state = unfinishedIn(orderRef, effect.lane).length > 0 ? 'queued' : 'pending'
    const { ref: merchantRef, account } = merchant
    insert({ effect, orderRef, merchantRef, account, state, madeAt: context.updatedAt })
  }

  const revoke = (orderRef: string, lane: string): void => {
    for (const job of unfinishedIn(orderRef, lane))
      if (job.state === 'claimed') job.isRevoked = true
      else finish(job, 'stopped')
  }

  const expedite = (orderRef: string, lane: string, at: number): void => {
    for (const job of ofOrder(orderRef))
      if (job.lane === lane && job.state === 'pending') job.dueAt = Math.min(job.dueAt, at)
  }

  const countAttempt = (job: MemoryJob, report: Report | undefined): void => {
    const started = deliveryOf(job).attemptRecords.find(({ n }) => n === job.attempt)
    if (started !== undefined) endpoints.countAttempt(job, started.startedAt, report)
  }

  const release = (job: MemoryJob, as: ReleasedAs): void => {
    if (as === 'started') completeAttempt(job, 'lost')
    else unclaim(job)
    if (job.isRevoked) finish(job, 'stopped')
    else Object.assign(job, { state: 'pending', token: null })
  }

  const releaseExpiredClaims = (): void => {
    for (const job of live)
      if (job.state === 'claimed' && job.leaseUntil <= realNow()) release(job, 'started')
  }

  // A resend has one attempt and is never retried.
  const completeResend = (
    job: MemoryJob,
    delivery: MemoryJob,
    attemptResult: AttemptResult,
  ): FinalStatus => {
    drop(job)
    const as = attemptResult.type === 'finished' ? attemptResult.status : 'stopped'
    // If the original is back in its lane by now, it finishes there.
    const isOpen = !isUnfinished(delivery) && delivery.state !== 'delivered'
    if (isOpen && outcomeOf(attemptResult) === 'accepted') {
      delivery.state = as
      live.delete(delivery)
    }
    return as
  }

  // Deliveries that become due during a pause are due at its end.
  const dueAtOf = (job: MemoryJob): number => Math.max(job.dueAt, endpoints.pausedUntil(job))

  const nextDueAt = (...queues: readonly QueueName[]): number | null => {
    let first = Number.POSITIVE_INFINITY
    for (const job of live) {
      const dueAt = dueAtOf(job)
      if (job.state === 'pending' && dueAt < first && queues.includes(job.queue)) first = dueAt
    }
    return first === Number.POSITIVE_INFINITY ? null : first
  }

  // Every poll looks for a few jobs among all that wait, so this makes no list of those.
  const findLive = (isWanted: (job: MemoryJob) => boolean): MemoryJob[] => {
    const jobs: MemoryJob[] = []
    for (const job of live) if (isWanted(job)) jobs.push(job)
    return jobs
  }

  const dueJobsOf = (at: number, isWork: boolean): readonly MemoryJob[] =>
    findLive(
      (job) =>
        job.state === 'pending' &&
        dueAtOf(job) <= at &&
        (job.queue === 'work') === isWork &&
        !isBlocked(job),
    ).sort((a, b) => a.dueAt - b.dueAt)

  const jobsInFlight = (): readonly MemoryJob[] => findLive(({ state }) => state === 'claimed')

  const isBeingResent = (delivery: MemoryJob): boolean =>
    ofOrder(delivery.orderRef).some(({ resendOf }) => resendOf === delivery)

  const stuck = (): readonly MemoryJob[] =>
    findLive(({ state }) => state === 'stuck').sort((a, b) => a.id - b.id)

  return {
    ofOrder,
    deliveries,
    release,
    drop,
    nextDueAt,
    isBeingResent,
    stuck,
    requests: (orderRef: string): ReadonlyMap<string, MerchantRequest> =>
      new Map(
        ofOrder(orderRef).flatMap(({ effect: { key, payload }, resendOf }) =>
          resendOf === null && isMerchantRequest(payload) ? [[key, payload]] : [],
        ),
      ),
    waiting: (merchantRef: string, kind: QueueName): number =>
      findLive(
        (job) => job.state === 'pending' && job.queue === kind && job.merchantRef === merchantRef,
      ).length,

    stats: (): QueueStats => {
      const inFlight = jobsInFlight()
      const slow = inFlight
        .filter(({ share }) => share !== null)
        .map(({ merchantRef }) => merchantRef)
      return {
        nextDueAt: { work: nextDueAt('work'), event: nextDueAt('event'), ipn: nextDueAt('ipn') },
        inFlight: inFlight.length,
        stuckCount: stuck().length,
        slowMerchants: [...new Set(slow)].slice(0, SLOW_MERCHANTS_MAX),
      }
    },

    /** Adds the effects of a step. `order`: the order after the step. */
    add: (order: Order, effects: readonly Effect[]): void => {
      const { orderRef } = order.placed
      for (const effect of effects)
        if (effect.type === 'do') addEffect(order, effect)
        else if (effect.type === 'revoke') revoke(orderRef, effect.lane)
        else expedite(orderRef, effect.lane, order.context.updatedAt)
    },

    /**
     * Makes an unfinished delivery due now. Adds a resend of another, unless there is one already.
     */
    resend: (delivery: MemoryJob, by: ManualTrigger, at: number): void => {
      const { orderRef, merchantRef, account, firstAt, effect } = delivery
      if (isUnfinished(delivery)) {
        delivery.cause ??= by
        delivery.dueAt = Math.min(delivery.dueAt, at)
        expedite(orderRef, effect.lane, at)
      } else if (!isBeingResent(delivery))
        insert({
          effect: { ...effect, dueAt: at, expiresAt: null, excludes: null },
          orderRef,
          merchantRef,
          account,
          state: 'pending',
          madeAt: at,
          resendOf: delivery,
          cause: by,
          firstAt,
        })
    },

    claim: (request: ClaimRequest): readonly Job[] => {
      releaseExpiredClaims()
      const claimJobs = (jobs: readonly MemoryJob[]) => jobs.map((job) => claimJob(job, request))
      const inFlight = jobsInFlight()
      const shareOf = createShareLookup(inFlight, request)
      // Deliveries first, so that the jobs that exclude their lanes see them in flight.
      const dueDeliveries = takeTurns(dueJobsOf(request.at, false), inFlight, request, shareOf)
      const claimed = claimJobs(dueDeliveries)
      for (const job of dueDeliveries) {
        const share = shareOf(job)
        job.share = share < (request.shares?.others ?? request.perMerchant) ? share : null
      }
      const dueWork = dueJobsOf(request.at, true)
      return [...claimJobs(dueWork.slice(0, request.capacity.internal)), ...claimed]
    },

    /** The claimed job, if the token is still valid. */
    findClaimed: (orderRef: string, token: string): MemoryJob | undefined =>
      ofOrder(orderRef).find((each) => each.state === 'claimed' && each.token === token),

    /**
     * `finalStatus`: the final status by the step that the result causes. Null: as the result says.
     */
    complete: (
      job: MemoryJob,
      { result, report }: Completion,
      finalStatus: FinalStatus | null,
    ): CompletionResult => {
      completeAttempt(job, outcomeOf(result), report)
      countAttempt(job, report)
      if (job.resendOf !== null) return completeResend(job, job.resendOf, result)
      if (job.isRevoked) return finish(job, 'stopped')
      if (finalStatus !== null) return finish(job, finalStatus)
      if (result.type === 'finished') return finish(job, result.status)
      // If another attempt was requested during this one, it is due at once.
      const dueAt = job.cause === null ? result.dueAt : job.dueAt
      Object.assign(job, { state: 'pending', token: null, dueAt })
      return 'retry'
    },

    /** Makes the job stuck. The result of its attempt is kept; nothing else happens. */
    markStuck: (job: MemoryJob, message: string, { result, report }: Completion): void => {
      completeAttempt(job, outcomeOf(result), report)
      countAttempt(job, report)
      const delivery = deliveryOf(job)
      if (delivery === job) finish(job, 'stuck')
      else {
        drop(job)
        if (isUnfinished(delivery)) return
        delivery.state = 'stuck'
        live.add(delivery)
      }
      delivery.message = message
    },

    pendingJobs: (orderRef: string): readonly PendingJob[] =>
      ofOrder(orderRef)
        .flatMap(({ effect, lane, dueAt, attempts, firstAt, state }) =>
          lane !== null &&
          (state === 'queued' || state === 'pending' || state === 'claimed' || state === 'stuck')
            ? [
                {
                  key: effect.key,
                  expiresAt: effect.expiresAt,
                  lane,
                  dueAt,
                  attempts,
                  firstAt,
                  state,
                },
              ]
            : [],
        )
        .sort((one, other) => one.dueAt - other.dueAt),

    retryStuckJob: (job: MemoryJob, at: number): void => {
      const isLaneFree = unfinishedIn(job.orderRef, job.lane).length === 0
      Object.assign(job, { state: isLaneFree ? 'pending' : 'queued', dueAt: at, message: null })
    },
  }
}
