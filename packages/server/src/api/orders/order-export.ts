// Orders in any number for other programs: they are read and sent a page at a time, so that none of
// them is in memory as a whole. As CSV they open in a spreadsheet.
import {
  decimalText,
  type Money,
  type Order,
  type OrderFilter,
  type OrderLists,
  orderView,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'

// How many orders are read and decrypted at once.
const PAGE = 200

/**
 * The matching orders, the most recently placed first, a page at a time and at most `limit`. It ends
 * after an error.
 */
export async function* orderPages(
  { search }: Pick<OrderLists, 'search'>,
  filter: OrderFilter,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<E.Either<Unavailable, readonly Order[]>> {
  let from: number | null = null
  for (let remaining = limit; remaining > 0; ) {
    const page = await search(filter, from, Math.min(remaining, PAGE))()
    yield E.map(({ orders }: { readonly orders: readonly Order[] }) => orders)(page)
    if (E.isLeft(page) || page.right.next === null) return
    remaining -= page.right.orders.length
    from = page.right.next
  }
}

// A spreadsheet takes a cell that begins so for a formula, which could send other cells away. It
// shows a cell that begins with an apostrophe as text.
const FORMULA = /^[=+\-@\t\r]/

const csvCell = (text: string): string => {
  const cell = FORMULA.test(text) ? `'${text}` : text
  return cell !== text || /[",\r\n]/.test(text) ? `"${cell.replaceAll('"', '""')}"` : text
}

const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const HEADINGS = [
  'placed',
  'changed',
  'order_ref',
  'merchant',
  'order_ref_1',
  'order_ref_2',
  'checkout',
  'risk',
  'cancellation',
  'product',
  'amount',
  'reduced_from',
  'refunded',
  'currency',
]

const csvOrder = (order: Order): string => {
  const { currency } = order.placed
  const view = orderView(order)
  const amount = (money: Money | undefined) =>
    money === undefined ? '' : decimalText(money.value, currency)
  return csvLine([
    view.created_at,
    view.updated_at,
    view.order_ref,
    view.merchant,
    view.order_ref_1,
    view.order_ref_2,
    view.state.checkout,
    view.state.risk,
    view.state.cancellation,
    view.product,
    amount(view.amount),
    amount(view.reduced_from),
    amount(view.refunded),
    currency,
  ])
}

// By this mark Excel recognizes UTF-8.
const BYTE_ORDER_MARK = '\ufeff'

/** The matching orders as CSV (RFC 4180) in parts. The first part has the headings. */
export async function* orderCsv(
  orders: Pick<OrderLists, 'search'>,
  filter: OrderFilter,
  limit?: number,
): AsyncGenerator<E.Either<Unavailable, string>> {
  yield E.right(BYTE_ORDER_MARK + csvLine(HEADINGS))
  for await (const page of orderPages(orders, filter, limit))
    yield E.map((all: readonly Order[]) => all.map(csvOrder).join(''))(page)
}
