// Operators decide about orders on hold here. Contract §5, Held orders.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import { applyDecision, type DecisionError } from './decision.ts'
import type { Host } from './host.ts'

/** Approves the order, so that the second IPN, `approved`, is sent. `Refused` unless the order is on hold. */
export const approveOrder =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    applyDecision(host)(orderRef, { type: 'review.approved' })

/** Ends the order with the event `cancelled`. `Refused` unless the order is on hold. */
export const rejectOrder =
  (host: Host) =>
  (orderRef: string): TaskEither<DecisionError, Order> =>
    applyDecision(host)(orderRef, { type: 'review.rejected' })
