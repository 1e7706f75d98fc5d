// A job as the memory store keeps it. A delivery also keeps all its attempts.
import type { Attempt, Effect, ManualTrigger, Outcome, QueueName, Report, Trigger } from '@plazo/core'
import type { StoredState } from '../sql/delivery-view.ts'

export type DoEffect = Extract<Effect, { readonly type: 'do' }>

export type MemoryJob = {
  /** Numbers all jobs of a store in the order in which they were added. */
  readonly id: number
  readonly effect: DoEffect
  /** Null for a resend. It is in no lane, so it neither waits for the order's lanes nor holds them up. */
  readonly lane: string | null
  readonly orderRef: string
  readonly merchantRef: string
  /** Merchants of one account share one limit of deliveries in flight. */
  readonly account: string
  /** The reduced share under which it was claimed. Null: its merchant had the full share. */
  share: number | null
  readonly kind: QueueName
  readonly madeAt: number
  /** The finished delivery that this job resends. Null for every other job. */
  readonly resendOf: MemoryJob | null
  readonly attemptRecords: Attempt[]
  /** The reason for the next attempt, if it is not the schedule. */
  cause: ManualTrigger | null
  state: StoredState
  dueAt: number
  /** Number of attempts begun. */
  attempts: number
  /** Number of the attempt in flight. */
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

export const beginAttempt = (job: MemoryJob, trigger: Trigger, startedAt: number): void => {
  const known = { durationMillis: null, status: null, error: null, response: null }
  deliveryOf(job).attemptRecords.push({ n: job.attempt, trigger, startedAt, outcome: null, ...known })
}

/** Completes the attempt in flight. */
export const completeAttempt = (job: MemoryJob, outcome: Outcome, report: Report | null): void => {
  const { attemptRecords } = deliveryOf(job)
  const index = attemptRecords.findIndex(({ n }) => n === job.attempt)
  const begun = attemptRecords[index]
  if (begun !== undefined) attemptRecords[index] = { ...begun, ...report, outcome }
}

/** Undoes a claim, as if it had never happened. */
export const unclaim = (job: MemoryJob): void => {
  const delivery = deliveryOf(job)
  const index = delivery.attemptRecords.findIndex(({ n }) => n === job.attempt)
  const [begun] = index < 0 ? [] : delivery.attemptRecords.splice(index, 1)
  // If two attempts run at once, the later one keeps its number.
  if (delivery.attempts === job.attempt) delivery.attempts -= 1
  if (job.resendOf !== null) return
  if (delivery.attempts === 0) job.firstAt = null
  if (begun !== undefined && begun.trigger !== 'schedule') job.cause ??= begun.trigger
}
