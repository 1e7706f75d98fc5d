// Operators decide about orders here. The step ignores an event that the order's state does not allow. A decision must not be
// lost silently, so it is refused here.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { eraseShopper, erasureBlocker } from '../../order/erase-shopper.ts'
import { stateOnWire } from '../../order/machine/order-machine.ts'
import type { DecisionEvent, MerchantEvent, Order } from '../../order/order.ts'
import type { InternalError } from '../../order/step.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { ShopperErasure } from '../../ports/data-deletion.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import { applyEvent, type Host, type Refused, refuse, type StepError } from '../host.ts'

/** Applies the decision and returns the order after it. `Refused` if the order's state does not allow it. */
export const applyDecision =
  (host: Host) =>
  (orderRef: string, event: DecisionEvent | MerchantEvent): TE.TaskEither<Refused | StepError, Order> =>
    host.store.step<Refused | InternalError, Order>(orderRef, (order, referenceIsTaken) =>
      pipe(
        applyEvent(host, order, event, referenceIsTaken),
        E.filterOrElseW(
          ({ journal }) => journal.length > 0,
          () => {
            const { checkout, cancellation } = stateOnWire(order.state)
            return refuse([
              `The order’s state does not allow this: its checkout is ${checkout}, its cancellation is ${cancellation}.`,
            ])
          },
        ),
        E.map((next) => ({ step: next, answer: next.order })),
      ),
    )

/** True if the order's state allows the decision. Tries the step without writing it. */
export const isDecisionAllowed =
  (host: Host) =>
  (order: Order, event: DecisionEvent): boolean =>
    pipe(
      applyEvent(host, order, event, false),
      E.exists(({ journal }) => journal.length > 0),
    )

const decisionOf =
  (event: DecisionEvent) =>
  (host: Host) =>
  (orderRef: string): TE.TaskEither<Refused | StepError, Order> =>
    applyDecision(host)(orderRef, event)

/**
 * Asks the merchant of a confirmed order to cancel it, by the event `cancel`. May be repeated after `unanswered` or
 * `unsupported`. Interface §6.1, contract §6.
 */
export const requestCancellation = decisionOf({ type: 'cancellation.requested' })

/** Cancels as the operator. Merchants cancel by an Order Update. Stops a running negotiation: a manual cancellation wins. */
export const cancelOrder = decisionOf({ type: 'order.cancelled', by: 'operator' })

/** Approves an order on hold: the second IPN, `approved`, is sent. `Refused` unless it is on hold. Contract §5, Held orders. */
export const approveOrder = decisionOf({ type: 'review.approved' })

/** Ends the order with the event `cancelled`. `Refused` unless the order is on hold. */
export const rejectOrder = decisionOf({ type: 'review.rejected' })

/**
 * Operators erase a shopper's data on request. The order, its state and its history stay. `Refused` while the order still needs
 * its shopper, or has pending or stuck effects.
 */
export const eraseShopperData =
  ({ erasure, clock }: { readonly erasure: ShopperErasure; readonly clock: Clock }) =>
  (orderRef: string): TE.TaskEither<Refused | OrderNotFound | Unavailable, 'erased' | 'already_erased'> =>
    pipe(
      erasure.erase(orderRef, (order) => {
        const blocker = erasureBlocker(order)
        return blocker === null ? E.right(eraseShopper(order, clock.now())) : E.left(refuse([blocker]))
      }),
      TE.mapLeft((error) =>
        error._tag === 'StillPending'
          ? refuse([`The order has jobs that are pending or stuck: ${error.lanes.join(', ')}.`])
          : error,
      ),
    )
