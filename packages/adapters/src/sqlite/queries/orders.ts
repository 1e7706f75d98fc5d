// Lists of orders in SQLite for operators, page by page: the newest orders, and those that wait for an operator.
import type { OperatorInbox, OperatorTask, Order } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { ORDER, type OrderRow } from '../order-cache.ts'
import type { Database } from '../schema/database.ts'
import { runOrUnavailable } from '../unavailable.ts'

type WaitingRow = OrderRow & { readonly since: number }

export const sqliteOrders = (db: Database, orderOf: (row: OrderRow) => Order): OperatorInbox => {
  const newest = db.prepare<[number, number], OrderRow>(`${ORDER} where id < ? order by id desc limit ?`)
  const waiting = db.prepare<[OperatorTask, number, number], WaitingRow>(`
    select o.id, o.order_ref, o.revision, o.snapshot, t.since
    from operator_tasks t join orders o on o.id = t.order_id
    where t.why = ? and t.order_id > ? order by t.order_id limit ?`)

  return {
    waiting: (why, after, limit) =>
      runOrUnavailable(() => {
        const rows = waiting.all(why, after ?? 0, limit)
        return E.right({
          orders: rows.map((row) => ({ order: orderOf(row), since: row.since })),
          next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
        })
      }),

    newest: (after, limit) =>
      runOrUnavailable(() => {
        const rows = newest.all(after ?? Number.MAX_SAFE_INTEGER, limit)
        return E.right({ orders: rows.map(orderOf), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) })
      }),
  }
}
