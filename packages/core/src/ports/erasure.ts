// The port that erases a shopper's data. It is separate from the store, so that only code that may erase has it.
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Lane } from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import type { Step } from '../order/step.ts'
import type { OrderNotFound } from './order-store.ts'
import type { Unavailable } from './unavailable.ts'

/** The order still has pending or stuck effects in these lanes. */
export type StillPending = { readonly _tag: 'StillPending'; readonly lanes: readonly Lane[] }

export type ShopperErasure = {
  /**
   * Commits the step that `decide` makes of an order with nothing pending, and destroys all other data of its shopper: the
   * merchant's payload, the journal's inputs, requests and answers, messages, cards. After it returns, no other process can
   * write this data back, and the keys that encrypted it are destroyed. `retry`: the shopper had been erased before. Data
   * added since then, for example by a cancellation, is destroyed too.
   */
  readonly erase: <E>(
    orderRef: string,
    decide: (order: Order) => Either<E, Step>,
  ) => TaskEither<E | OrderNotFound | StillPending | Unavailable, 'erased' | 'already_erased'>
}
