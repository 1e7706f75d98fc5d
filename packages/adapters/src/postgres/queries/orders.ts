// Lists of orders in PostgreSQL, page by page: those that match a filter, newest first, and those
// that wait for an operator, oldest first.
import { LOOKED_AT_MAX, OPERATOR_TASKS, type OrderLists, type OrderModel } from '@plazo/core/ports'
import { type TaskRow, tasksStatements, toTaskCount } from '../../sql/operator-tasks.ts'
import { createOrderSearch, FAILING } from '../../sql/order-search.ts'
import { type Connection, statement } from '../connection/connection.ts'
import type { OrderReader } from '../order-reader.ts'
import { answerOrUnavailable } from '../unavailable.ts'
import { createListQuery } from './list-query.ts'

type ListedOrder = { readonly order_ref: string; readonly id: number }
type WaitingOrder = ListedOrder & { readonly since: number }

const BY_NUMBERS = statement('orders-by-numbers')`
  select order_ref, id from plazo.orders where id = any($1::bigint[])`

const WAITING = tasksStatements(
  (isOfMerchant, name) => statement(`orders-waiting${name}`)`
    select o.order_ref, o.id, t.since from (
      select order_id, since from plazo.operator_tasks t
      where ${isOfMerchant('$1::text')} and why = $2 and order_id > coalesce($3::bigint, 0) order by order_id limit $4) t
    join plazo.orders o on o.id = t.order_id order by o.id`,
)

const COUNT_WAITING = tasksStatements(
  (isOfMerchant, name) => statement(`orders-waiting-count${name}`)`
    select w.task, c.count, c.since from unnest($2::text[]) w(task)
    cross join lateral (
      select count(*)::integer as count, min(since) as since
      from (select since from plazo.operator_tasks t where ${isOfMerchant('$1::text')} and why = w.task order by since limit $3) l) c
    where c.count > 0`,
)

export const postgresOrders = (
  connection: Connection,
  readOrders: OrderReader['readOrders'],
  model: OrderModel,
): OrderLists => {
  const { query } = connection
  const ordersOf = async <Row extends ListedOrder>(rows: readonly Row[]) => {
    const read = await readOrders(rows.map(({ order_ref }) => order_ref))
    return rows.flatMap((row) => {
      const readOrder = read.get(row.order_ref)
      return readOrder === undefined ? [] : [{ ...row, order: readOrder().order }]
    })
  }

  const selectFailing = (limit: string): string =>
    `select order_id as named from plazo.outbox where ${FAILING} order by order_id limit ${limit}`

  const { search, count } = createOrderSearch({
    model,
    orders: 'plazo.orders',
    query: createListQuery(connection),
    chunk: LOOKED_AT_MAX,
    isOneOf: (column, numbers, bind) => `${column} = any(${bind(numbers)}::bigint[])`,
    // With an equation of the column, the planner could read the index of all orders instead.
    withinIndex: ({ column, value }, { from, to }, bind) => {
      const pair = `(o.${column}, o.id)`
      const [above, below] = [from, to].map((end) => `(${bind(value)}, ${bind(end)})`)
      return [
        `o.${column} is not null and ${pair} < ${above} and ${pair} >= ${below}`,
        `o.${column} desc, o.id desc`,
      ]
    },
    isFailing: `(select true from plazo.outbox where outbox.order_id = o.id and ${FAILING} limit 1) is not null`,
    selectFailing,
    readOrders: async (numbers) =>
      (await ordersOf(await query<ListedOrder>(BY_NUMBERS, numbers))).map(({ order, id }) => ({
        number: id,
        order,
      })),
  })

  return {
    search: (...given) => answerOrUnavailable(() => search(...given)),
    count: (filter) => answerOrUnavailable(() => count(filter)),

    waiting: (why, merchantRef, after, limit) =>
      answerOrUnavailable(async () => {
        const rows = await query<WaitingOrder>(
          WAITING(merchantRef),
          ...[merchantRef, why, after, limit],
        )
        const orders = await ordersOf(rows)
        return orders.map(({ order, since, id }) => ({ order, since, position: id }))
      }),

    countWaiting: (merchantRef, max) =>
      answerOrUnavailable(async () => {
        const statement = COUNT_WAITING(merchantRef)
        const rows = await query<TaskRow>(statement, merchantRef, OPERATOR_TASKS, max + 1)
        return rows.map((row) => toTaskCount(row, max))
      }),
  }
}
