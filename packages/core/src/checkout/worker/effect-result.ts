// The result of running an effect, before it is written: the event for the order, and the result of the attempt.
import * as E from 'fp-ts/lib/Either.js'
import type { Lazy } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../../delivery/attempt.ts'
import { nextAttemptAt } from '../../delivery/schedule.ts'
import type { OrderEvent } from '../../order/order-event.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { AttemptResult, FinalStatus } from '../../ports/deliveries.ts'
import type { Job } from '../../ports/job-queue.ts'

/** `thrown`: the thrown value, for debugging. It may contain a shopper's data. */
type Thrown = { readonly thrown?: unknown }

/**
 * Ports return their errors. If a port throws instead, this turns it into an ordinary failure, so that other due work goes on.
 */
export const thrownField = (failure: Thrown): Thrown => ('thrown' in failure ? { thrown: failure.thrown } : {})

/** Returns `failure`, with the thrown value, if `ask` throws. */
export const catchThrown =
  <Failure extends object, A>(call: Lazy<TaskEither<Failure, A>>, failure: Failure): TaskEither<Failure & Thrown, A> =>
  async () => {
    try {
      return await call()()
    } catch (thrown) {
      return E.left({ ...failure, thrown })
    }
  }

/** `event`: the event for the order, or null. `error`: the reason of a failure, for the log, or null. */
export type EffectResult = {
  readonly event: OrderEvent | null
  readonly attemptResult: AttemptResult
  readonly error: string | null
  /** Only for deliveries. */
  readonly report: Report | null
  /** False: nobody was called, so the result says nothing about the merchant. */
  readonly wasCalled?: boolean
  /** This process has no socket left. A worker may release the job as not started instead of completing it. */
  readonly hasNoSocket?: boolean
} & Thrown

export const finish = (status: FinalStatus, event: OrderEvent | null, error: string | null = null): EffectResult => ({
  event,
  attemptResult: { type: 'finished', status },
  error,
  report: null,
})

/** True if the job is useless at this instant, for example the SMS of an expired code. */
export const isExpired = ({ expiresAt }: Job, at: number): boolean => expiresAt !== null && at >= expiresAt

/** Schedules the job again at `dueAt`, or stops it if it is useless by then. */
export const retryAt = (
  job: Job,
  dueAt: number,
  error: string | null = null,
  event: OrderEvent | null = null,
): EffectResult =>
  isExpired(job, dueAt)
    ? finish('stopped', null, error)
    : { event, attemptResult: { type: 'retry', dueAt }, error, report: null }

export type FailedAttempt = { readonly retryAfterMillis: number | null; readonly error: string }

/** Retries on the effect's schedule, with the event `retold`. After the last slot gives up, with the event `given`. */
export const retry = (
  { clock }: { readonly clock: Clock },
  jitter: number,
  job: Job,
  { retryAfterMillis, error }: FailedAttempt,
  retryEvent: OrderEvent | null,
  exhaustedEvent: OrderEvent | null,
): EffectResult => {
  const dueAt = nextAttemptAt({
    key: job.key,
    kind: job.work.kind,
    firstAt: job.firstAt,
    startedAt: job.startedAt,
    endedAt: clock.now(),
    retryAfterMillis,
    jitter,
  })
  // A failed resend must not exhaust a delivery that was already exhausted or delivered.
  return dueAt === null
    ? finish(job.isResend ? 'stopped' : 'exhausted', exhaustedEvent, error)
    : retryAt(job, dueAt, error, retryEvent)
}
