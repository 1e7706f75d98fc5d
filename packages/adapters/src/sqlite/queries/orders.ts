// Lists of orders in SQLite for operators, page by page: the newest orders, and those that wait for
// an operator.
import type { OperatorTask, Order } from '@plazo/core'
import type { OperatorInbox } from '@plazo/core/ports'
import { ORDER, type OrderRow } from '../order-cache.ts'
import type { Database } from '../schema/database.ts'
import { valueOrUnavailable } from '../unavailable.ts'

type WaitingRow = OrderRow & { readonly since: number }

export const sqliteOrders = (db: Database, orderOf: (row: OrderRow) => Order): OperatorInbox => {
  const newest = db.prepare<[number, number], OrderRow>(
    `${ORDER} where id < ? order by id desc limit ?`,
  )
  const waiting = db.prepare<[OperatorTask, number, number], WaitingRow>(`
    select o.id, o.order_ref, o.revision, o.snapshot, t.since
    from operator_tasks t join orders o on o.id = t.order_id
    where t.why = ? and t.order_id > ? order by t.order_id limit ?`)

  return {
    waiting: (why, after, limit) =>
      valueOrUnavailable(() => {
        const rows = waiting.all(why, after ?? 0, limit)
        return {
          orders: rows.map((row) => ({ order: orderOf(row), since: row.since })),
          next: nextAfter(rows, limit),
        }
      }),

    newest: (after, limit) =>
      valueOrUnavailable(() => {
        const rows = newest.all(after ?? Number.MAX_SAFE_INTEGER, limit)
        return { orders: rows.map(orderOf), next: nextAfter(rows, limit) }
      }),
  }
}

const nextAfter = (rows: readonly OrderRow[], limit: number): number | null =>
  rows.length < limit ? null : (rows.at(-1)?.id ?? null)
