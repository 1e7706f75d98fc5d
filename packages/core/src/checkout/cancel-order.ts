// A confirmed order is cancelled: the merchant is asked to, or it is simply done. Interface §6.1, contract §6.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import { type DecisionError, tell } from './decision.ts'
import type { Host } from './host.ts'

/** Asks the merchant by the event cancel; again after `unanswered` or `unsupported`. */
export const requestCancellation =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    tell(host)(orderRef, { type: 'cancellation.requested' })

/** By an operator; a merchant's own is an Order Update. Stops a negotiation that runs: manual cancelling wins. */
export const cancelOrder =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    tell(host)(orderRef, { type: 'order.cancelled', by: 'operator' })
