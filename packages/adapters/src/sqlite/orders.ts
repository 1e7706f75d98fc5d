// Orders in SQLite as an operator looks for them: a page at a time, off the newest end.
import type { Order, Orders, Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Database } from './database.ts'
import { ORDER, type OrderRow } from './order-rows.ts'

export const sqliteOrders = (
  db: Database,
  orderOf: (row: OrderRow) => Order,
  reading: <A>(read: () => E.Either<never, A>) => TaskEither<Unavailable, A>,
): Orders => {
  const newest = db.prepare<[number, number], OrderRow>(`${ORDER} where id < ? order by id desc limit ?`)

  return {
    newest: (after, limit) =>
      reading(() => {
        const rows = newest.all(after ?? Number.MAX_SAFE_INTEGER, limit)
        return E.right({ orders: rows.map(orderOf), next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) })
      }),
  }
}
