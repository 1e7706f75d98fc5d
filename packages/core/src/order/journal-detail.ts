// Operators read the journal in plain words. This is the detail shown next to an event's name. It
// is stored with the line, so it has no text of `Intl`.
import { decimalText } from '../protocol/currency.ts'
import type { Order, OrderEvent } from './order.ts'
import { refundWith } from './reduction.ts'

/** `order`: after the event. */
export const journalDetail = (
  event: OrderEvent,
  { placed, context }: Pick<Order, 'placed' | 'context'>,
): string | null => {
  const amount = (minor: number): string =>
    `${decimalText(minor, placed.currency)} ${placed.currency}`
  switch (event.type) {
    case 'payment.refunded': {
      const refund = refundWith(context, event.inReplyTo)
      return refund === undefined ? null : amount(refund.amount)
    }
    case 'order.reduced':
      return `from ${amount(event.from)} to ${amount(event.carts.shipped + event.carts.unshipped)}`
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
      return event.lateByMinutes === null
        ? 'the answer gave no minutes'
        : `late by ${event.lateByMinutes} min`
    case 'cancel.deferred':
      return `asked again in ${event.retryInMinutes} min`
    case 'cancellation.advised':
      return `by the risk service, in ${event.delay / 1000} s`
    case 'review.approved':
    case 'review.rejected':
    case 'cancellation.requested':
      return operatorDetail(event.operator)
    case 'merchant.confirmed':
    case 'merchant.held':
    case 'references.given':
    case 'order.updated':
    case 'cancel.agreed':
      return 'by the merchant'
    case 'order.cancelled':
      return event.by === 'operator' ? operatorDetail(event.operator) : 'by the merchant'
    default:
      return null
  }
}

const BY_OPERATOR = 'by the operator'

/** `name`: undefined if the operator has none, like the user of a command. */
export const operatorDetail = (name: string | undefined): string =>
  name === undefined ? BY_OPERATOR : `${BY_OPERATOR} ${name}`

/** A line's detail as merchants see it: they are not told which operator it was. */
export const detailForMerchants = (detail: string | null): string | null =>
  detail?.startsWith(`${BY_OPERATOR} `) ? BY_OPERATOR : detail
