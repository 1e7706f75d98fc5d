// The step ignores an event that the order's state does not allow. A decision must not be lost silently, so it is refused here.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { DecisionEvent, MerchantEvent } from '../order/order-event.ts'
import { stateOnWire } from '../order/order-state.ts'
import { type InternalError, step } from '../order/step.ts'
import type { OrderNotFound, ReferenceTaken } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { type Host, type Refused, refuse, stepInputOf } from './host.ts'

export type DecisionError = OrderNotFound | ReferenceTaken | Refused | Unavailable | InternalError

/** Applies the decision and returns the order after it. `Refused` if the order's state does not allow it. */
export const applyDecision =
  (host: Host) =>
  (orderRef: string, event: DecisionEvent | MerchantEvent): TaskEither<DecisionError, Order> =>
    host.store.step<Refused | InternalError, Order>(orderRef, (order, referenceIsTaken) =>
      pipe(
        step(host.terms)(order, event, stepInputOf(host, referenceIsTaken)),
        E.filterOrElseW(
          ({ journal }) => journal.length > 0,
          () => {
            const { checkout, cancellation } = stateOnWire(order.state)
            return refuse(
              `The order does not allow it now: its checkout is ${checkout}, its cancellation ${cancellation}.`,
            )
          },
        ),
        E.map((next) => ({ step: next, answer: next.order })),
      ),
    )

/** Whether the order's state allows the decision. Tries the step without writing it. */
export const isDecisionAllowed =
  (host: Host) =>
  (order: Order, event: DecisionEvent): boolean =>
    pipe(
      step(host.terms)(order, event, stepInputOf(host, false)),
      E.exists(({ journal }) => journal.length > 0),
    )
