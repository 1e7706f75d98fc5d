// Converts an order and its journal to the form that merchants and operators see, without the shopper's data. Contract §3.
import { agreementOf } from '../order/agreement.ts'
import type { Order } from '../order/order.ts'
import { stateOnWire } from '../order/order-state.ts'
import type { PublicJournalLine } from '../ports/store.ts'
import { money } from '../protocol/money.ts'
import type { HistoryLine, OrderView } from '../protocol/order-view.ts'

const instant = (at: number): string => new Date(at).toISOString()

export const orderView = (order: Order): OrderView => {
  const { placed, context, state } = order
  return {
    order_ref: placed.orderRef,
    order_ref_1: context.references.first,
    order_ref_2: context.references.second,
    merchant: placed.merchant.ref,
    state: stateOnWire(state),
    late_by: context.lateByMinutes,
    product: agreementOf(order).product,
    amount: money(placed.total, placed.currency, placed.language),
    created_at: instant(placed.placedAt),
    updated_at: instant(context.updatedAt),
  }
}

export const historyLine = ({ seq, at, event, from, to, detail }: PublicJournalLine): HistoryLine => ({
  seq,
  at: instant(at),
  event,
  from: stateOnWire(from),
  to: stateOnWire(to),
  detail,
})
