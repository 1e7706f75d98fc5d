// An operator reviews an order on hold. Contract §5, Held orders.
import { tell } from './decision.ts'
import type { Host } from './host.ts'

export const approveOrder = (host: Host) => (orderRef: string) => tell(host)(orderRef, { type: 'review.approved' })

export const rejectOrder = (host: Host) => (orderRef: string) => tell(host)(orderRef, { type: 'review.rejected' })
