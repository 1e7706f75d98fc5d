// A confirmed order is cancelled: the merchant is asked to, or it is simply done. Interface §6.1, contract §6.
import { tell } from './decision.ts'
import type { Host } from './host.ts'

/** Asks the merchant by the event cancel; again after `unanswered` or `unsupported`. */
export const requestCancellation = (host: Host) => (orderRef: string) =>
  tell(host)(orderRef, { type: 'cancellation.requested' })

/** Stops a negotiation that runs: manual cancelling wins. */
export const cancelOrder = (host: Host) => (orderRef: string, by: 'operator' | 'merchant') =>
  tell(host)(orderRef, { type: 'order.cancelled', by })
