// Operators list orders through this part of the store, a page at a time.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { OperatorTask, Order } from '../order/order.ts'
import type { Unavailable } from './unavailable.ts'

/** `next`: the `after` of the next page; null after the last. */
export type OrderPage = { readonly orders: readonly Order[]; readonly next: number | null }

export type OperatorTaskPage = {
  /** `since`: when the order began to wait; domain time, epoch milliseconds. */
  readonly orders: readonly { readonly order: Order; readonly since: number }[]
  readonly next: number | null
}

export type OperatorInbox = {
  /** Up to `limit` orders of all merchants, the most recently placed first. `after` null: the first page. */
  readonly newest: (after: number | null, limit: number) => TaskEither<Unavailable, OrderPage>
  /** Up to `limit` orders that wait for an operator, the oldest first. The cost depends only on the number returned. */
  readonly waiting: (
    task: OperatorTask,
    after: number | null,
    limit: number,
  ) => TaskEither<Unavailable, OperatorTaskPage>
}
