// Operators cancel a confirmed order here: they ask the merchant first, or cancel directly. Interface §6.1, contract §6.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import { applyDecision, type DecisionError } from './decision.ts'
import type { Host } from './host.ts'

/** Asks the merchant by the event `cancel`. May be repeated after `unanswered` or `unsupported`. */
export const requestCancellation =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    applyDecision(host)(orderRef, { type: 'cancellation.requested' })

/** Cancels as the operator. Merchants cancel by an Order Update. Stops a running negotiation: a manual cancellation wins. */
export const cancelOrder =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    applyDecision(host)(orderRef, { type: 'order.cancelled', by: 'operator' })
