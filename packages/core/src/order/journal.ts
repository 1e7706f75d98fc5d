// Operators read the journal in plain words: this is the detail shown next to an event's name.
import type { OrderEvent } from './order-event.ts'

export const journalDetail = (event: OrderEvent): string | null => {
  switch (event.type) {
    case 'screening.resolved':
      return event.outcome
    case 'session.reported':
      return event.status
    case 'payment.failed':
      return event.reason
    case 'risk.assessed':
      return event.level
    case 'timer.fired':
      return event.timer.slice(0, event.timer.indexOf('.'))
    case 'cancel.refused':
      return event.lateByMinutes === null ? 'the answer gave no minutes' : `late by ${event.lateByMinutes} min`
    case 'cancel.deferred':
      return `asked again in ${event.retryInMinutes} min`
    case 'cancellation.advised':
      return `by the risk service, in ${event.delay / 1000} s`
    case 'review.approved':
    case 'review.rejected':
    case 'cancellation.requested':
      return 'by the operator'
    case 'merchant.confirmed':
    case 'merchant.held':
    case 'references.given':
    case 'order.updated':
    case 'cancel.agreed':
      return 'by the merchant'
    case 'order.cancelled':
      return `by the ${event.by}`
    default:
      return null
  }
}
