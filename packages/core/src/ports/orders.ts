// The part of the store through which an operator looks for orders.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { Waiting } from '../order/waiting.ts'
import type { Unavailable } from './unavailable.ts'

/** `next`: where the next page begins, null after the last. */
export type OrderPage = { readonly orders: readonly Order[]; readonly next: number | null }

export type WaitingPage = {
  /** `since`: when it began to wait, domain time. */
  readonly orders: readonly { readonly order: Order; readonly since: number }[]
  readonly next: number | null
}

export type Orders = {
  /** So many of every merchant's, the last placed first; from the beginning where `after` is null. */
  readonly newest: (after: number | null, limit: number) => TaskEither<Unavailable, OrderPage>
  /** So many of those that wait for an operator, the first placed first. Costs no more than it answers. */
  readonly waiting: (why: Waiting, after: number | null, limit: number) => TaskEither<Unavailable, WaitingPage>
}
