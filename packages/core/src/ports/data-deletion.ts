// The parts of a store that delete data: what is old, so that the database does not grow without limit, and what belongs to a
// shopper. Contract §7, RETAIN_….
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Lane } from '../order/effects/effect.ts'
import type { Order } from '../order/order.ts'
import type { Step } from '../order/step.ts'
import type { OrderNotFound } from './order-store.ts'
import type { Unavailable } from './unavailable.ts'

export type DropRequest = {
  /** Rows last changed before this instant (domain time) may be deleted. */
  readonly before: number
  /** `next` of the previous batch; 0 for the first batch. */
  readonly after: number
  /** About how many rows one commit deletes, and how many it examines. */
  readonly rows: number
}

/** `count`: the number of deliveries or journals deleted. `next`: the `after` of the next batch; null after the last. */
export type DroppedBatch = { readonly count: number; readonly next: number | null }

/** Deletes in small batches. */
export type Retention = {
  /** Deletes finished deliveries with their attempts. Pending and stuck ones, and those being resent now, stay. */
  readonly dropDeliveries: (request: DropRequest) => TaskEither<Unavailable, DroppedBatch>
  /** Deletes whole journals of orders that are over. The orders themselves stay. */
  readonly dropJournals: (request: DropRequest) => TaskEither<Unavailable, DroppedBatch>
}

/** The order still has pending or stuck effects in these lanes. */
export type StillPending = { readonly _tag: 'StillPending'; readonly lanes: readonly Lane[] }

/** It is separate from the store, so that only code that may erase has it. */
export type ShopperErasure = {
  /**
   * Commits the step that `decide` makes of an order with nothing pending, and destroys all other data of its shopper: the
   * merchant's payload, the journal's inputs, requests and answers, messages, cards. After it returns, no other process can
   * write this data back, and the keys that encrypted it are destroyed. `already_erased`: it was erased before. Data
   * added since then, for example by a cancellation, is destroyed too.
   */
  readonly erase: <E>(
    orderRef: string,
    decide: (order: Order) => Either<E, Step>,
  ) => TaskEither<E | OrderNotFound | StillPending | Unavailable, 'erased' | 'already_erased'>
}
