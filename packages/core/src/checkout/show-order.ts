// An order and its journal as merchants and operators see them: never the shopper's data. Contract §3.
import { agreementOf } from '../order/next-action.ts'
import type { Order } from '../order/order.ts'
import { type StateOnWire, stateOnWire } from '../order/order-state.ts'
import type { JournalLine } from '../order/step.ts'
import { type Money, money } from '../protocol/money.ts'

export type OrderView = {
  readonly order_ref: string
  readonly order_ref_1: string
  readonly order_ref_2: string
  readonly merchant: string
  readonly state: StateOnWire
  /** Minutes, from a `toolate` answer, or null. */
  readonly late_by: number | null
  readonly product: string
  readonly amount: Money
  /** ISO 8601 in UTC. */
  readonly created_at: string
  readonly updated_at: string
}

export type HistoryLine = {
  readonly seq: number
  readonly at: string
  readonly event: string
  readonly from: StateOnWire
  readonly to: StateOnWire
  readonly detail: string | null
}

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

export const historyLine = ({ seq, at, event, from, to, detail }: JournalLine): HistoryLine => ({
  seq,
  at: instant(at),
  event,
  from: stateOnWire(from),
  to: stateOnWire(to),
  detail,
})
