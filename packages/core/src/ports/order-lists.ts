// Lists and counts of orders. Each call reads a bounded number of rows, however many orders there
// are, so that a list answers while a million of them are stored.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { OperatorTask, Order } from '../order/order.ts'
import type { OrderFilter } from '../order/order-facts.ts'
import type { Unavailable } from './store-errors.ts'

/** The most rows or index entries that a call reads, and the highest exact count. */
export const LOOKED_AT_MAX = 10_000

/** One page of a list of orders, the most recently placed first. */
export type OrderPage = {
  readonly orders: readonly Order[]
  /** The `from` of the next page; null after the last. Only the store reads it. */
  readonly next: number | null
  /**
   * When the last order that was looked at was placed; epoch milliseconds. Null: the page is full,
   * or there are no older orders.
   */
  readonly lookedBackTo: number | null
}

/** `isExact` false: there are more than `count`, or older ones were not looked at. */
export type OrderCount = { readonly count: number; readonly isExact: boolean }

/** An order that waits for an operator's decision. */
export type WaitingOrder = {
  readonly order: Order
  /** When the order began to wait; domain time, epoch milliseconds. */
  readonly since: number
  /** The `after` of the orders behind it. Only the store reads it. */
  readonly position: number
}

/**
 * How many orders wait for one decision of an operator. `since`: when the one that waits longest
 * began to wait.
 */
export type OperatorTaskCount = OrderCount & {
  readonly task: OperatorTask
  readonly since: number
}

/**
 * Lists and counts of orders for the console and the Order API. A store without them still runs
 * every checkout.
 */
export type OrderLists = {
  /**
   * Up to `limit` matching orders, the most recently placed first. `from` null: the first page. A
   * page may have fewer orders, or none, although `next` leads to older ones.
   */
  readonly search: (
    filter: OrderFilter,
    from: number | null,
    limit: number,
  ) => TaskEither<Unavailable, OrderPage>
  readonly count: (filter: OrderFilter) => TaskEither<Unavailable, OrderCount>
  /**
   * Up to `limit` orders that wait for an operator, the oldest first. `merchantRef` null: of all
   * merchants.
   */
  readonly waiting: (
    task: OperatorTask,
    merchantRef: string | null,
    after: number | null,
    limit: number,
  ) => TaskEither<Unavailable, readonly WaitingOrder[]>
  /**
   * The tasks for which orders wait, each with their number up to `max`. `merchantRef` null: of all
   * merchants.
   */
  readonly countWaiting: (
    merchantRef: string | null,
    max: number,
  ) => TaskEither<Unavailable, readonly OperatorTaskCount[]>
}
