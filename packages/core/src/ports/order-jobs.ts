// The rules of an order's jobs. An order and its unfinished jobs change together, under one version. So
// these are pure functions from jobs to jobs: what waits in a lane, what a step revokes or makes due,
// how an attempt ends, and how a delivery is sent once more. Contract §6.
import {
  type DoEffect,
  deliveryEventName,
  type Effect,
  effectKeyParts,
  type Lane,
  laneExcludedBy,
  type QueueName,
  queueNameOf,
} from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import type { AttemptResult, FinalStatus, ManualTrigger } from './deliveries.ts'

/** Instants are epoch milliseconds of domain time. */
export type OrderJob = {
  /** Counts the jobs of the order, from 1. */
  readonly n: number
  /** With the lane, the end of its effect's key. */
  readonly revision: number
  readonly lane: Lane
  readonly queue: QueueName
  readonly merchantRef: string
  /** Good merchants of one account share one limit of deliveries in flight. */
  readonly account: string
  /** The event of a delivery, or `ipn`; null for other work. */
  readonly event: string | null
  /** `queued`: an earlier job of its lane comes first. */
  readonly state: 'queued' | 'pending' | 'stuck' | FinalStatus
  readonly dueAt: number
  readonly expiresAt: number | null
  readonly excludes: Lane | null
  /** How many attempts have ended. A delivery counts those of its resends too. */
  readonly attempts: number
  /** How many attempts of the job itself have ended. */
  readonly tries: number
  readonly firstAt: number | null
  /** A step has revoked it while an attempt may be in flight. It ends with that attempt. */
  readonly isRevoked: boolean
  /** Who asked for the next attempt, out of the schedule. */
  readonly cause: ManualTrigger | null
  /** The finished delivery that it sends once more. Such a job is in no lane. */
  readonly resendOf: number | null
  readonly madeAt: number
  /** Why it is stuck. Null also if that is only stored. */
  readonly message: string | null
}

/** All that a decision about an order's jobs may need. `count`: how many there have been. */
export type OrderJobs = { readonly list: readonly OrderJob[]; readonly count: number }

/** Whether an attempt of the job may be in flight. */
type MayRun = (job: OrderJob) => boolean

/** The jobs of an order that has had none yet. */
export const NO_JOBS: OrderJobs = { list: [], count: 0 }

/** True until the job has ended or is stuck. */
export const isWaiting = ({ state }: OrderJob): boolean => state === 'queued' || state === 'pending'

const isInLane =
  (lane: Lane) =>
  (job: OrderJob): boolean =>
    job.lane === lane && job.resendOf === null && isWaiting(job)

const changeJobs = (
  jobs: OrderJobs,
  isChanged: (job: OrderJob) => boolean,
  change: (job: OrderJob) => OrderJob,
): OrderJobs => ({ ...jobs, list: jobs.list.map((job) => (isChanged(job) ? change(job) : job)) })

const addJob = (jobs: OrderJobs, job: Omit<OrderJob, 'n'>): OrderJobs => ({
  list: [...jobs.list, { ...job, n: jobs.count + 1 }],
  count: jobs.count + 1,
})

/** The first job of the lane goes on if none of it does. */
const startNext = (jobs: OrderJobs, lane: Lane): OrderJobs => {
  const first = jobs.list.find(isInLane(lane))
  const isIdle = !jobs.list.some((job) => isInLane(lane)(job) && job.state === 'pending')
  return isIdle
    ? changeJobs(
        jobs,
        (job) => job === first,
        (job) => ({ ...job, state: 'pending' }),
      )
    : jobs
}

/** The state of a job that joins the lane. */
const stateIn = ({ list }: OrderJobs, lane: Lane): 'queued' | 'pending' =>
  list.some(isInLane(lane)) ? 'queued' : 'pending'

const addEffect = (
  jobs: OrderJobs,
  effect: DoEffect,
  { placed: { merchant }, context }: Order,
): OrderJobs =>
  addJob(jobs, {
    revision: effectKeyParts(effect.key).revision,
    lane: effect.lane,
    queue: queueNameOf(effect.payload.kind),
    merchantRef: merchant.ref,
    account: merchant.account,
    event: deliveryEventName(effect.payload),
    state: stateIn(jobs, effect.lane),
    dueAt: effect.dueAt,
    expiresAt: effect.expiresAt,
    excludes: laneExcludedBy(effect.lane),
    attempts: 0,
    tries: 0,
    firstAt: null,
    isRevoked: false,
    cause: null,
    resendOf: null,
    madeAt: context.updatedAt,
    message: null,
  })

/** The jobs after a step, whose effects are applied one after another. `order`: after the step. */
export const applyEffects = (
  jobs: OrderJobs,
  effects: readonly Effect[],
  order: Order,
  mayRun: MayRun,
): OrderJobs =>
  effects.reduce((before, effect) => {
    if (effect.type === 'do') return addEffect(before, effect, order)
    const isMeant = isInLane(effect.lane)
    return effect.type === 'revoke'
      ? changeJobs(before, isMeant, (job) =>
          mayRun(job) ? { ...job, isRevoked: true } : { ...job, state: 'stopped' },
        )
      : changeJobs(
          before,
          (job) => isMeant(job) && job.state === 'pending',
          (job) => ({ ...job, dueAt: Math.min(job.dueAt, order.context.updatedAt) }),
        )
  }, jobs)

/** An attempt as it began, so that its end can be told from that of any other. */
export type StartedAttempt = Pick<OrderJob, 'n' | 'tries' | 'cause' | 'dueAt'> & {
  readonly startedAt: number
}

/**
 * How an attempt ended: with its result, with a fault that makes the job stuck, or `lost`, if nobody
 * knows whether it arrived.
 */
export type AttemptEnd =
  | AttemptResult
  | { readonly type: 'stuck'; readonly message: string }
  | 'lost'

/** The job of the attempt. Undefined: it has ended otherwise. */
export const findStarted = (
  { list }: OrderJobs,
  { n, tries }: StartedAttempt,
): OrderJob | undefined => list.find((job) => job.n === n && job.tries === tries && isWaiting(job))

const isAccepted = (status: FinalStatus): boolean =>
  status === 'delivered' || status === 'unsupported'

/** What the end of a resend makes of the finished delivery. One that is back in its lane ends there. */
const afterResend = (delivery: OrderJob, end: AttemptEnd): OrderJob => {
  if (isWaiting(delivery) || end === 'lost' || end.type === 'retry') return delivery
  if (end.type === 'stuck') return { ...delivery, state: 'stuck', message: end.message }
  return isAccepted(end.status) && delivery.state !== 'delivered'
    ? { ...delivery, state: end.status }
    : delivery
}

const afterAttempt = (job: OrderJob, attempt: StartedAttempt, end: AttemptEnd): OrderJob => {
  const isAskedAgain =
    job.cause !== null && (job.cause !== attempt.cause || job.dueAt !== attempt.dueAt)
  const ended: OrderJob = {
    ...job,
    attempts: job.attempts + 1,
    tries: job.tries + 1,
    firstAt: job.firstAt ?? attempt.startedAt,
    cause: isAskedAgain ? job.cause : null,
  }
  // What is wrong with a resend is said of its delivery.
  if (end !== 'lost' && end.type === 'stuck')
    return job.resendOf === null
      ? { ...ended, state: 'stuck', message: end.message }
      : { ...ended, state: 'stopped' }
  if (job.isRevoked) return { ...ended, state: 'stopped' }
  if (end === 'lost') return { ...ended, cause: job.cause }
  if (end.type === 'finished') return { ...ended, state: end.status }
  if (job.resendOf !== null) return { ...ended, state: 'stopped' }
  return isAskedAgain ? ended : { ...ended, dueAt: end.dueAt }
}

/** The jobs after an attempt of `job`. */
export const endAttempt = (
  jobs: OrderJobs,
  job: OrderJob,
  attempt: StartedAttempt,
  end: AttemptEnd,
): OrderJobs => {
  const ended = changeJobs(
    jobs,
    (each) => each === job,
    () => afterAttempt(job, attempt, end),
  )
  if (job.resendOf === null) return startNext(ended, job.lane)
  return changeJobs(
    ended,
    ({ n }) => n === job.resendOf,
    (delivery) => ({ ...afterResend(delivery, end), attempts: delivery.attempts + 1 }),
  )
}

/** Ends a revoked job that was never started. */
export const stopRevoked = (jobs: OrderJobs, job: OrderJob): OrderJobs =>
  startNext(
    changeJobs(
      jobs,
      (each) => each === job,
      (each) => ({ ...each, state: 'stopped' }),
    ),
    job.lane,
  )

/** Puts a stuck job back into its lane. */
export const retryStuck = (jobs: OrderJobs, stuck: OrderJob, at: number): OrderJobs =>
  changeJobs(
    jobs,
    (job) => job === stuck,
    (job) => ({
      ...job,
      state: stateIn(jobs, job.lane),
      dueAt: at,
      message: null,
    }),
  )

/**
 * The jobs after somebody asked to send a delivery again. One that waits is due now, with all ahead
 * of it in its lane; any other gets a resend, unless it has one.
 */
export const requestResend = (
  jobs: OrderJobs,
  delivery: OrderJob,
  by: ManualTrigger,
  at: number,
): OrderJobs => {
  if (isWaiting(delivery)) {
    const changed = changeJobs(
      jobs,
      ({ n }) => n === delivery.n,
      // A new instant, even if it was due before: so the end of an attempt in flight shows that
      // another one was asked for meanwhile.
      (job) => ({ ...job, cause: job.cause ?? by, dueAt: at }),
    )
    return changeJobs(
      changed,
      (job) => isInLane(delivery.lane)(job) && job.state === 'pending',
      (job) => ({ ...job, dueAt: Math.min(job.dueAt, at) }),
    )
  }
  if (jobs.list.some(({ resendOf }) => resendOf === delivery.n)) return jobs
  const isKnown = jobs.list.some(({ n }) => n === delivery.n)
  const withDelivery = isKnown ? jobs : { ...jobs, list: [...jobs.list, delivery] }
  return addJob(withDelivery, {
    ...delivery,
    state: 'pending',
    dueAt: at,
    expiresAt: null,
    excludes: null,
    attempts: 0,
    tries: 0,
    isRevoked: false,
    cause: by,
    resendOf: delivery.n,
    madeAt: at,
    message: null,
  })
}

const excludes = ({ excludes }: OrderJob, other: OrderJob): boolean =>
  other.resendOf === null && excludes === other.lane

/**
 * True if the job must wait for another one of its order: a job is never in flight together with one
 * in a lane that it excludes, and the one that was due first runs first.
 */
export const isExcluded = ({ list }: OrderJobs, job: OrderJob, isInFlight: MayRun): boolean =>
  list.some((other) => {
    if (other === job || !isWaiting(other)) return false
    if (isInFlight(other)) return excludes(job, other) || excludes(other, job)
    // One that was revoked never starts.
    const mayStart = other.state === 'pending' && !other.isRevoked
    return mayStart && excludes(other, job) && other.dueAt <= job.dueAt
  })

/**
 * The number of the next attempt that ends: of a resend, that of its delivery. No process knows all
 * attempts that have begun, so they are numbered as they end.
 */
export const nextAttempt = ({ list }: OrderJobs, job: OrderJob): number =>
  (list.find(({ n }) => n === job.resendOf) ?? job).attempts + 1
