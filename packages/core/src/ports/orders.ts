// The part of the store through which an operator looks for orders.
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { Unavailable } from './store.ts'

/** `next`: where the next page begins, null after the last. */
export type OrderPage = { readonly orders: readonly Order[]; readonly next: number | null }

export type Orders = {
  /** So many of every merchant's, the last placed first; from the beginning where `after` is null. */
  readonly newest: (after: number | null, limit: number) => TaskEither<Unavailable, OrderPage>
}
