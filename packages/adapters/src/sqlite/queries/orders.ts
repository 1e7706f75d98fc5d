// Lists of orders in SQLite, page by page: those that match a filter, newest first, and those that
// wait for an operator, oldest first.
import { setImmediate } from 'node:timers/promises'
import type { OperatorTask } from '@plazo/core'
import { OPERATOR_TASKS, type OrderLists, type OrderModel } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type TaskRow, tasksStatements, toTaskCount } from '../../sql/operator-tasks.ts'
import { createOrderSearch, FAILING } from '../../sql/order-search.ts'
import { ORDER, type OrderReader, type OrderRow } from '../order-reader.ts'
import type { Database } from '../schema/database.ts'
import { sqliteUnavailable, valueOrUnavailable } from '../unavailable.ts'
import { createListQuery } from './list-query.ts'

type WaitingRow = OrderRow & { readonly since: number }

export const sqliteOrders = (
  db: Database,
  { orderOf }: OrderReader,
  model: OrderModel,
): OrderLists => {
  const byNumbers = db.prepare<[string], OrderRow>(
    `${ORDER} where id in (select value from json_each(?))`,
  )
  const waiting = tasksStatements((isOfMerchant) =>
    db.prepare<[string | null, OperatorTask, number, number], WaitingRow>(`
      select o.id, o.order_ref, o.revision, o.snapshot, t.since
      from operator_tasks t join orders o on o.id = t.order_id
      where ${isOfMerchant('?')} and t.why = ? and t.order_id > ? order by t.order_id limit ?`),
  )
  const waitingCount = tasksStatements((isOfMerchant) =>
    db.prepare<[string | null, OperatorTask, number], TaskRow>(`
      select why as task, count(*) as count, min(since) as since
      from (select why, since from operator_tasks t where ${isOfMerchant('?')} and t.why = ? order by t.since limit ?)
      group by why`),
  )

  const query = createListQuery(db)

  const selectFailing = (limit: string): string =>
    `select order_id as named from outbox where ${FAILING} order by order_id desc limit ${limit}`

  const { search, count } = createOrderSearch({
    model,
    orders: 'orders',
    // Other work runs between the chunks of a search.
    query: async (write) => {
      await setImmediate()
      return query(write)
    },
    chunk: 2_000,
    isOneOf: (column, numbers, bind) =>
      `${column} in (select value from json_each(${bind(JSON.stringify(numbers))}))`,
    withinIndex: ({ column, value }, { from, to }, bind) => [
      `o.${column} = ${bind(value)} and o.id < ${bind(from)} and o.id >= ${bind(to)}`,
      'o.id desc',
      `indexed by ${column === 'merchant_ref' ? 'orders_merchant' : `orders_${column}`}`,
    ],
    isFailing: `exists (select 1 from outbox where order_id = o.id and ${FAILING})`,
    selectFailing,
    readOrders: async (numbers) =>
      byNumbers
        .all(JSON.stringify(numbers))
        .map((row) => ({ number: row.id, order: orderOf(row) })),
  })

  const searchOrUnavailable = <A>(run: () => Promise<A>) => TE.tryCatch(run, sqliteUnavailable)

  return {
    search: (...given) => searchOrUnavailable(() => search(...given)),
    count: (filter) => searchOrUnavailable(() => count(filter)),

    waiting: (why, merchantRef, after, limit) =>
      valueOrUnavailable(() =>
        waiting(merchantRef)
          .all(merchantRef, why, after ?? 0, limit)
          .map((row) => ({ order: orderOf(row), since: row.since, position: row.id })),
      ),

    countWaiting: (merchantRef, max) =>
      valueOrUnavailable(() =>
        OPERATOR_TASKS.flatMap(
          (why) => waitingCount(merchantRef).get(merchantRef, why, max + 1) ?? [],
        ).map((row) => toTaskCount(row, max)),
      ),
  }
}
