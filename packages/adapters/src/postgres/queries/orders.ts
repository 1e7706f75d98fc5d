// Lists orders in PostgreSQL for operators, one page at a time: all orders, newest first, or those
// that wait for a decision, oldest first.
import type { OperatorInbox } from '@plazo/core/ports'
import { type Connection, statement } from '../connection/connection.ts'
import type { OrderCache } from '../order-cache.ts'
import { answerOrUnavailable } from '../unavailable.ts'

type ListedOrder = { readonly order_ref: string; readonly number: number }
type WaitingOrder = ListedOrder & { readonly since: number }

const NEWEST = statement('orders-newest')`
  select order_ref, number from plazo.orders
  where number < coalesce($1::bigint, 9223372036854775807) order by number desc limit $2`

const WAITING = statement('orders-waiting')`
  select order_ref, number, since from plazo.operator_tasks
  where why = $1 and number > coalesce($2::bigint, 0) order by number limit $3`

export const postgresOrders = ({ query }: Connection, { readAll }: OrderCache): OperatorInbox => {
  const ordersOf = async <Row extends ListedOrder>(rows: readonly Row[]) => {
    const read =
      rows.length === 0 ? new Map() : await readAll(rows.map(({ order_ref }) => order_ref))
    return rows.flatMap((row) => {
      const readOrder = read.get(row.order_ref)
      return readOrder === undefined ? [] : [{ row, order: readOrder().order }]
    })
  }

  const nextAfter = (rows: readonly ListedOrder[], limit: number): number | null =>
    rows.length < limit ? null : (rows.at(-1)?.number ?? null)

  return {
    newest: (after, limit) =>
      answerOrUnavailable(async () => {
        const rows = await query<ListedOrder>(NEWEST, after, limit)
        const orders = (await ordersOf(rows)).map(({ order }) => order)
        return { orders, next: nextAfter(rows, limit) }
      }),

    waiting: (why, after, limit) =>
      answerOrUnavailable(async () => {
        const rows = await query<WaitingOrder>(WAITING, why, after, limit)
        const orders = (await ordersOf(rows)).map(({ order, row }) => ({ order, since: row.since }))
        return { orders, next: nextAfter(rows, limit) }
      }),
  }
}
