// The jobs of the memory store, by order, and which of them have their turn. Finished jobs stay
// with their order, so that deliveries can be listed with all their attempts.
import {
  type Attempt,
  type ClaimRequest,
  type DoEffect,
  type ManualTrigger,
  type Outcome,
  type QueueName,
  queueNameOf,
  type Report,
  type Trigger,
} from '@plazo/core/ports'
import type { StoredState } from '../sql/delivery-view.ts'

export type MemoryJob = {
  /** Numbers all jobs of a store in the order in which they were added. */
  readonly id: number
  readonly effect: DoEffect
  /**
   * Null for a resend. It is in no lane, so it neither waits for the order's lanes nor holds them
   * up.
   */
  readonly lane: string | null
  readonly orderRef: string
  readonly merchantRef: string
  /** Merchants of one account share one limit of deliveries in flight. */
  readonly account: string
  /** The reduced share under which it was claimed. Null: its merchant had the full share. */
  share: number | null
  readonly queue: QueueName
  readonly madeAt: number
  /** The finished delivery that this job resends. Null for every other job. */
  readonly resendOf: MemoryJob | null
  readonly attemptRecords: Attempt[]
  /** The reason for the next attempt, if it is not the schedule. */
  cause: ManualTrigger | null
  state: StoredState
  dueAt: number
  /** The number of attempts started. */
  attempts: number
  /** The number of the attempt in flight. */
  attempt: number
  firstAt: number | null
  token: string | null
  leaseUntil: number
  isRevoked: boolean
  message: string | null
}

export const isUnfinished = ({ state }: MemoryJob): boolean =>
  state === 'queued' || state === 'pending' || state === 'claimed'

/** The original delivery if this job is a resend, otherwise the job itself. */
export const deliveryOf = (job: MemoryJob): MemoryJob => job.resendOf ?? job

/** The instant of the last attempt, or of the creation if there was none. */
export const lastTriedAt = ({ attemptRecords, madeAt }: MemoryJob): number =>
  attemptRecords.at(-1)?.startedAt ?? madeAt

export const beginAttempt = (job: MemoryJob, trigger: Trigger, startedAt: number): void => {
  const noReport = { durationMillis: null, status: null, error: null, response: null }
  deliveryOf(job).attemptRecords.push({
    n: job.attempt,
    trigger,
    startedAt,
    outcome: null,
    ...noReport,
  })
}

/** Completes the attempt in flight. */
export const completeAttempt = (job: MemoryJob, outcome: Outcome, report?: Report): void => {
  const { attemptRecords } = deliveryOf(job)
  const index = attemptRecords.findIndex(({ n }) => n === job.attempt)
  const record = attemptRecords[index]
  if (record !== undefined) attemptRecords[index] = { ...record, ...report, outcome }
}

/** Undoes a claim, as if it had never happened. */
export const unclaim = (job: MemoryJob): void => {
  const delivery = deliveryOf(job)
  const index = delivery.attemptRecords.findIndex(({ n }) => n === job.attempt)
  const [removed] = index < 0 ? [] : delivery.attemptRecords.splice(index, 1)
  // If two attempts run at once, the later one keeps its number.
  if (delivery.attempts === job.attempt) delivery.attempts -= 1
  if (job.resendOf !== null) return
  if (delivery.attempts === 0) job.firstAt = null
  if (removed !== undefined && removed.trigger !== 'schedule') job.cause ??= removed.trigger
}

type NewJob = Pick<
  MemoryJob,
  'effect' | 'orderRef' | 'merchantRef' | 'account' | 'state' | 'madeAt'
> &
  Partial<Pick<MemoryJob, 'resendOf' | 'cause' | 'firstAt'>>

export const createJobTable = () => {
  // Each order's jobs in the order in which they were added.
  const byOrder = new Map<string, readonly MemoryJob[]>()
  // Jobs that may be due, are in flight or are stuck.
  const live = new Set<MemoryJob>()
  let added = 0

  const ofOrder = (orderRef: string): readonly MemoryJob[] => byOrder.get(orderRef) ?? []

  const removeFromOrder = (job: MemoryJob): void => {
    const others = ofOrder(job.orderRef).filter((each) => each !== job)
    byOrder.set(job.orderRef, others)
  }

  return {
    live,
    ofOrder,
    removeFromOrder,

    /** The deliveries of all orders, without resends, in the order in which they were added. */
    deliveries: (): readonly MemoryJob[] =>
      [...byOrder.values()]
        .flat()
        .filter(({ queue, resendOf }) => queue !== 'work' && resendOf === null)
        .sort((a, b) => a.id - b.id),

    unfinishedIn: (orderRef: string, lane: string | null): readonly MemoryJob[] =>
      ofOrder(orderRef).filter((job) => job.lane === lane && isUnfinished(job)),

    insert: (newJob: NewJob): void => {
      const job: MemoryJob = {
        id: ++added,
        queue: queueNameOf(newJob.effect.payload.kind),
        lane: newJob.resendOf === undefined ? newJob.effect.lane : null,
        attemptRecords: [],
        dueAt: newJob.effect.dueAt,
        attempts: 0,
        share: null,
        attempt: 0,
        token: null,
        leaseUntil: 0,
        isRevoked: false,
        message: null,
        resendOf: null,
        cause: null,
        firstAt: null,
        ...newJob,
      }
      byOrder.set(newJob.orderRef, [...ofOrder(newJob.orderRef), job])
      live.add(job)
    },

    drop: (job: MemoryJob): void => {
      live.delete(job)
      removeFromOrder(job)
    },
  }
}

type ShareOf = (job: MemoryJob) => number

const merchantKey = ({ queue, merchantRef }: MemoryJob): string =>
  `merchant ${queue} ${merchantRef}`
const accountKey = ({ queue, account }: MemoryJob): string => `account ${queue} ${account}`

/**
 * How much each merchant may have in flight: the request's share, or a smaller one under which a
 * delivery is in flight.
 */
export const createShareLookup = (
  inFlight: readonly MemoryJob[],
  { perMerchant, shares }: ClaimRequest,
): ShareOf => {
  const smallest = new Map<string, number>()
  for (const job of inFlight)
    if (job.share !== null)
      smallest.set(
        merchantKey(job),
        Math.min(job.share, smallest.get(merchantKey(job)) ?? job.share),
      )
  return (job) => {
    const listed = job.queue === 'work' ? undefined : shares?.[job.queue].get(job.merchantRef)
    const granted = listed ?? shares?.others ?? perMerchant
    return Math.min(granted, smallest.get(merchantKey(job)) ?? granted)
  }
}

/**
 * The due deliveries for which there is room. Those in flight count against the limits, by merchant
 * and by account. Merchants take turns by account: the first delivery of every account runs before
 * the second of any.
 */
export const takeTurns = (
  dueJobs: readonly MemoryJob[],
  inFlight: readonly MemoryJob[],
  { perMerchant, capacity }: ClaimRequest,
  shareOf: ShareOf,
): readonly MemoryJob[] => {
  if (dueJobs.length === 0) return []
  const counts = new Map<string, number>()
  const next = (turn: string): number => {
    const count = (counts.get(turn) ?? 0) + 1
    counts.set(turn, count)
    return count
  }
  for (const job of inFlight) {
    next(merchantKey(job))
    next(accountKey(job))
  }
  return dueJobs
    .filter((job) => next(merchantKey(job)) <= shareOf(job))
    .map((job) => ({ job, rank: next(accountKey(job)) }))
    .filter(({ rank }) => rank <= perMerchant)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, capacity.deliveries)
    .map(({ job }) => job)
}
