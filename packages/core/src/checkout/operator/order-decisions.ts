// Operators decide about orders here. The step ignores an event that the order's state does not
// allow. A decision must not be lost silently, so it is refused here.
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { type Consequences, consequencesOf, trialWith } from '../../explanation/trial.ts'
import { modelOf } from '../../order/model.ts'
import type { DecisionEvent, MerchantEvent, Order } from '../../order/order.ts'
import { stateOnWire } from '../../order/order-facts.ts'
import { type InternalError, step } from '../../order/step.ts'
import { changeOrder, type Host, type Refused, refuse, type StepError } from '../host.ts'

const HAS_CHANGED =
  'The order has changed since this decision was offered. Look at it as it is now, then decide.'

/**
 * Applies the decision and returns the order after it. `Refused` if the order's state does not
 * allow it, or if the order has another revision than the one that the decision is about.
 *
 * @example
 * ```ts
 * const decision = { type: 'review.approved' } as const
 * const after = await applyDecision(host)(orderRef, decision, order.revision)()
 * if (after._tag === 'Left' && after.left._tag === 'Refused') console.log(after.left.sentences)
 * ```
 */
export const applyDecision =
  (host: Host) =>
  (
    orderRef: string,
    event: DecisionEvent | MerchantEvent,
    revision: number | null = null,
  ): TE.TaskEither<Refused | StepError, Order> =>
    changeOrder(host)<Refused | InternalError>(orderRef, (order, stepInput) => {
      if (revision !== null && revision !== order.revision) return E.left(refuse([HAS_CHANGED]))
      const next = step(host.terms)(order, event, stepInput)
      if (E.isLeft(next) || next.right.journal.length > 0) return next
      const { checkout, cancellation } = stateOnWire(order.state, modelOf(host.terms))
      return E.left(
        refuse([
          `The order’s state does not allow this: its checkout is ${checkout}, its cancellation is ${cancellation}.`,
        ]),
      )
    })

/**
 * What the decision would do; null: the order's state does not allow it. Writes nothing.
 *
 * @example
 * ```ts
 * const outcome = tryDecision(host)(order, { type: 'review.rejected' })
 * console.log(outcome === null ? 'not possible now' : outcome.state.checkout)
 * ```
 */
export const tryDecision =
  (host: Host) =>
  (order: Order, event: DecisionEvent): Consequences | null => {
    const next = trialWith(host.terms, false)(order, event, host.clock.now())
    return next !== null && next.journal.length > 0 ? consequencesOf(order, next) : null
  }
