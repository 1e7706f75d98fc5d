// One decision told to an order, where an order that is not in a state for it refuses.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { DecisionEvent, MerchantEvent } from '../order/order-event.ts'
import { stateOnWire } from '../order/order-state.ts'
import { type Fault, step } from '../order/step.ts'
import type { OrderUnknown, ReferenceTaken } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { type Host, momentOf, type Refused, refused } from './host.ts'

export type DecisionError = OrderUnknown | ReferenceTaken | Refused | Unavailable | Fault

/** Answers with the order after the decision; `Refused` when its state does not allow it. */
export const tell =
  (host: Host) =>
  (orderRef: string, event: DecisionEvent | MerchantEvent): TaskEither<DecisionError, Order> =>
    host.store.step<Refused | Fault, Order>(orderRef, (order, referenceIsTaken) =>
      pipe(
        step(host.terms)(order, event, momentOf(host, referenceIsTaken)),
        E.filterOrElseW(
          ({ journal }) => journal.length > 0,
          () => {
            const { checkout, cancellation } = stateOnWire(order.state)
            return refused(
              `The order does not allow it now: its checkout is ${checkout}, its cancellation ${cancellation}.`,
            )
          },
        ),
        E.map((made) => ({ step: made, answer: made.order })),
      ),
    )

/** Whether the order, as it is, allows this: the step is tried, and nothing written. */
export const allows =
  (host: Host) =>
  (order: Order, event: DecisionEvent): boolean =>
    pipe(
      step(host.terms)(order, event, momentOf(host, false)),
      E.exists(({ journal }) => journal.length > 0),
    )
