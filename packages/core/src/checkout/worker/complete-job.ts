// The result of running an effect: the event for the order, and the result of the attempt. Both are
// written together with the step that the event causes; otherwise a crash could lose the step.
import * as E from 'fp-ts/lib/Either.js'
import type { Lazy } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { AttemptError, Report } from '../../delivery/attempt.ts'
import { failureEvents, nextAttemptAt } from '../../delivery/schedule.ts'
import { describeThrown, type ThrownError } from '../../order/error-message.ts'
import type { OrderEvent } from '../../order/order.ts'
import { type Step, step } from '../../order/step.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import { type AttemptResult, type FinalStatus, outcomeOf } from '../../ports/deliveries.ts'
import type { CompletionResult, Job } from '../../ports/job-queue.ts'
import type { Unavailable } from '../../ports/store-errors.ts'
import { type Host, stepInputOf } from '../host.ts'

/** `thrown`: what a port threw, for debugging. It may contain a shopper's data. */
type WithThrown = { readonly thrown?: ThrownError | undefined }

/** JSON. `event`: the event for the order, or null. `error`: why the attempt failed, or null. */
export type EffectResult = {
  readonly event: OrderEvent | null
  readonly attemptResult: AttemptResult
  readonly error: AttemptError | null
  /** Only for deliveries. */
  readonly report: Report | null
  /**
   * This process has no socket left. A worker may release the job as not started instead of
   * completing it.
   */
  readonly hasNoSocket?: boolean
} & WithThrown

/**
 * Writes the result of a job with the step that it causes, in one transaction. `lost` if another
 * worker has taken the claim.
 *
 * @example
 * ```ts
 * const result = await executeEffect(handlers, 0.1)(job)()
 * const completed = await completeJob(host)(job, result)()
 * if (completed._tag === 'Right') console.log(completed.right) // delivered, retry, lost, …
 * ```
 */
export const completeJob =
  (host: Host) =>
  (
    job: Job,
    { event, attemptResult, report }: EffectResult,
  ): TaskEither<Unavailable, CompletionResult> => {
    // If the merchant has confirmed by `PUT` meanwhile, any answer counts as delivered. Contract
    // §3, Deliveries; §5.
    const overrideStatus = ({ order, effects }: Step): FinalStatus | null => {
      const isConfirmedAnyway =
        job.payload.kind === 'ipn' &&
        outcomeOf(attemptResult) === 'error' &&
        order.context.merchantConfirmed &&
        effects.some(({ type, lane }) => type === 'revoke' && lane === job.lane)
      if (!isConfirmedAnyway) return null
      return typeof report?.status === 'number' ? 'delivered' : 'stopped'
    }

    return host.store.complete(job, {
      result: attemptResult,
      decide:
        event === null
          ? undefined
          : (order, referenceIsTaken) => {
              const next = step(host.terms)(
                order,
                event,
                stepInputOf(host, order, referenceIsTaken),
              )
              if (E.isLeft(next)) return next
              const answer = { statusOverride: overrideStatus(next.right) }
              return E.right({ step: next.right, answer })
            },
      report: report ?? undefined,
    })
  }

export const finish = (
  status: FinalStatus,
  event: OrderEvent | null,
  error: AttemptError | null = null,
): EffectResult => ({ event, attemptResult: { type: 'finished', status }, error, report: null })

/** True if the job is useless at this instant, for example the SMS of an expired code. */
export const isExpired = ({ expiresAt }: Job, at: number): boolean =>
  expiresAt !== null && at >= expiresAt

/** Schedules the job again at `dueAt`, or stops it if it is useless by then. */
export const retryAt = (
  job: Job,
  dueAt: number,
  error: AttemptError | null = null,
  event: OrderEvent | null = null,
): EffectResult =>
  isExpired(job, dueAt)
    ? finish('stopped', null, error)
    : { event, attemptResult: { type: 'retry', dueAt }, error, report: null }

/** What an attempt needs besides its port. `jitter`: as in `executeEffect`. */
export type AttemptScope = { readonly clock: Clock; readonly jitter: number; readonly job: Job }

type FailedAttempt = {
  readonly retryAfterMillis: number | null
  readonly error: AttemptError
}

/** Retries on the effect's schedule. After the last slot gives up. The order learns of both. */
export const retry = (
  { clock, jitter, job }: AttemptScope,
  { retryAfterMillis, error }: FailedAttempt,
): EffectResult => {
  const events = failureEvents(job.key)
  const dueAt = nextAttemptAt({
    ...job,
    kind: job.payload.kind,
    endedAt: clock.now(),
    retryAfterMillis,
    jitter,
  })
  // A failed resend must not exhaust a delivery that was already exhausted or delivered.
  return dueAt === null
    ? finish(job.isResend ? 'stopped' : 'exhausted', events.last, error)
    : retryAt(job, dueAt, error, events.repeated)
}

/**
 * Ports return their errors. If a port throws instead, this returns `failure` with the thrown
 * value described, so that other due work goes on.
 */
export const catchThrown =
  <Failure extends object, A>(
    call: Lazy<TaskEither<Failure, A>>,
    failure: Failure,
  ): TaskEither<Failure & WithThrown, A> =>
  async () => {
    try {
      return await call()()
    } catch (thrown) {
      return E.left({ ...failure, thrown: describeThrown(thrown) })
    }
  }
