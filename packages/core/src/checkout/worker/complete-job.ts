// An effect's result and the step that it causes must be written together; otherwise a crash could lose the step.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../../delivery/attempt.ts'
import { type Step, step } from '../../order/step.ts'
import { type FinalStatus, outcomeOf } from '../../ports/deliveries.ts'
import type { CompletionResult, Job } from '../../ports/job-queue.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import { type Host, stepInputOf } from '../host.ts'
import type { EffectResult } from './effect-result.ts'

// If the merchant has confirmed by `PUT` meanwhile, any answer counts as delivered. Contract §3, Deliveries; §5.
const finalStatusOf = (report: Report | null): FinalStatus =>
  report === null || report.status === null ? 'stopped' : 'delivered'

/** Writes the result with the step that it causes, in one transaction. `lost` if another worker has taken the claim. */
export const completeJob =
  (host: Host) =>
  (job: Job, { event, attemptResult, report }: EffectResult): TaskEither<Unavailable, CompletionResult> => {
    const revokesJob = ({ order, effects }: Step): boolean =>
      job.work.kind === 'ipn' &&
      outcomeOf(attemptResult) === 'error' &&
      order.context.merchantConfirmed &&
      effects.some(({ type, lane }) => type === 'revoke' && lane === job.lane)

    return host.store.complete(job, {
      result: attemptResult,
      decide:
        event === null
          ? undefined
          : (order, referenceIsTaken) =>
              pipe(
                step(host.terms)(order, event, stepInputOf(host, referenceIsTaken)),
                E.map((next) => ({
                  step: next,
                  answer: { statusOverride: revokesJob(next) ? finalStatusOf(report) : null },
                })),
              ),
      report: report ?? undefined,
    })
  }
