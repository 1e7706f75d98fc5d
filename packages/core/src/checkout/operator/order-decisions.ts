// Operators decide about orders here. The step ignores an event that the order's state does not
// allow. A decision must not be lost silently, so it is refused here.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { stateOnWire } from '../../order/machine/order-machine.ts'
import {
  type DecisionEvent,
  hasCheckoutEnded,
  isBeingAssessed,
  type MerchantEvent,
  type Order,
  type OrderState,
} from '../../order/order.ts'
import { NEW_CONTEXT } from '../../order/order-context.ts'
import { addLine, type InternalError, type Step, step } from '../../order/step.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import type { ShopperErasure } from '../../ports/store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import {
  changeOrder,
  type Host,
  type Refused,
  refuse,
  type StepError,
  stepInputOf,
} from '../host.ts'

const HAS_CHANGED =
  'The order has changed since this decision was offered. Look at it as it is now, then decide.'

/**
 * Applies the decision and returns the order after it. `Refused` if the order's state does not
 * allow it, or if the order has another revision than the one that the decision is about.
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
      const { checkout, cancellation } = stateOnWire(order.state)
      return E.left(
        refuse([
          `The order’s state does not allow this: its checkout is ${checkout}, its cancellation is ${cancellation}.`,
        ]),
      )
    })

/** True if the order's state allows the decision. Tries the step without writing it. */
export const isDecisionAllowed =
  (host: Host) =>
  (order: Order, event: DecisionEvent): boolean => {
    const next = step(host.terms)(order, event, stepInputOf(host, false))
    return E.isRight(next) && next.right.journal.length > 0
  }

const decisionOf =
  (event: DecisionEvent) =>
  (host: Host) =>
  (orderRef: string): TE.TaskEither<Refused | StepError, Order> =>
    applyDecision(host)(orderRef, event)

/**
 * Asks the merchant of a confirmed order to cancel it, by the event `cancel`. May be repeated after
 * `unanswered` or `unsupported`. Interface §6.1, contract §6.
 */
export const requestCancellation = decisionOf({ type: 'cancellation.requested' })

/**
 * Cancels as the operator. Merchants cancel by an Order Update. Stops a running negotiation: a
 * manual cancellation wins.
 */
export const cancelOrder = decisionOf({ type: 'order.cancelled', by: 'operator' })

/**
 * Approves an order on hold: the second IPN, `approved`, is sent. `Refused` unless it is on hold.
 * Contract §5, Held orders.
 */
export const approveOrder = decisionOf({ type: 'review.approved' })

/** Ends the order with the event `cancelled`. `Refused` unless the order is on hold. */
export const rejectOrder = decisionOf({ type: 'review.rejected' })

const BEING_CANCELLED = new Set<OrderState['cancellation']>(['scheduled', 'asking', 'waiting'])

// A sentence that says why this order still needs its shopper's data, or null if it does not.
const erasureBlocker = ({ state }: Order): string | null => {
  const { checkout, risk, cancellation } = stateOnWire(state)
  if (!hasCheckoutEnded(state)) return `The order's checkout has not ended: it is ${checkout}.`
  if (isBeingAssessed(state)) return `The order's risk is not known yet: it is ${risk}.`
  if (BEING_CANCELLED.has(state.cancellation))
    return `The order's cancellation is not decided yet: it is ${cancellation}.`
  return null
}

/**
 * Removes the shopper from the order and adds a journal line that says so. A replay does not go
 * past that line. Everything that may still follow (a cancellation, its refund, an event) works
 * without the person.
 */
export const eraseShopper = (order: Order, now: number): Step => {
  const { updatedAt, payments } = order.context
  const { person, otp, session, cards } = NEW_CONTEXT
  const line = {
    at: Math.max(now, updatedAt),
    event: 'shopper.forgotten',
    detail: 'by the operator',
    input: null,
  }
  // A payment may still be refunded, so its key stays.
  const unnamed = payments.map((payment) => ({
    ...payment,
    token: '',
    providerUrl: null,
    challenge: null,
  }))
  return addLine(order, line, { person, otp, session, cards, payments: unnamed })
}

/**
 * Operators erase a shopper's data on request. The order, its state and its history stay. `Refused`
 * while the order still needs its shopper, or has pending or stuck effects.
 */
export const eraseShopperData =
  ({ erasure, clock }: { readonly erasure: ShopperErasure; readonly clock: Clock }) =>
  (
    orderRef: string,
  ): TE.TaskEither<Refused | OrderNotFound | Unavailable, 'erased' | 'already_erased'> =>
    pipe(
      erasure.erase(orderRef, (order) => {
        const blocker = erasureBlocker(order)
        return blocker === null
          ? E.right(eraseShopper(order, clock.now()))
          : E.left(refuse([blocker]))
      }),
      TE.mapLeft((error) =>
        error._tag === 'StillPending'
          ? refuse([`The order has jobs that are pending or stuck: ${error.lanes.join(', ')}.`])
          : error,
      ),
    )
