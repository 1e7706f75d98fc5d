// An effect's result and the step that it causes must be written together; otherwise a crash could lose the step.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Report } from '../delivery/attempt.ts'
import { type Step, step } from '../order/step.ts'
import type { FinalStatus } from '../ports/conclusion.ts'
import { outcomeOf } from '../ports/deliveries.ts'
import type { CompletionResult, Entry } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { type Host, momentOf } from './host.ts'
import type { Result } from './result.ts'

// If the merchant has confirmed by `PUT` meanwhile, any answer counts as delivered. Contract §3, Deliveries; §5.
const endingOf = (report: Report | null): FinalStatus =>
  report === null || report.status === null ? 'stopped' : 'delivered'

/** Writes the result with the step that it causes, in one transaction. `lost` if another worker has taken the claim. */
export const settleEntry =
  (host: Host) =>
  (entry: Entry, { event, conclusion, report }: Result): TaskEither<Unavailable, CompletionResult> => {
    const isEndedBy = ({ order, effects }: Step): boolean =>
      entry.work.kind === 'ipn' &&
      outcomeOf(conclusion) === 'error' &&
      order.context.merchantHasSpoken &&
      effects.some(({ type, lane }) => type === 'withdraw' && lane === entry.lane)

    return host.store.complete(
      entry,
      conclusion,
      event === null
        ? null
        : (order, referenceIsTaken) =>
            pipe(
              step(host.terms)(order, event, momentOf(host, referenceIsTaken)),
              E.map((made) => ({ step: made, answer: isEndedBy(made) ? endingOf(report) : null })),
            ),
      report,
    )
  }
