// The storage that every host must provide for orders: without it, nothing survives a restart. A
// store commits each step as a whole, the order with its journal and its jobs; otherwise a crash
// could lose a job.
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { JournalLine, Step } from '../order/step.ts'
import type { OrderNotFound, ReferenceTaken, Unavailable } from './store-errors.ts'

/**
 * A step sends a code to this number. A store that counts codes, over all its orders, writes nothing and
 * answers `refusal` once the number has had as many as `LIMITS` allows in an hour or in a day. The count
 * grows with the commit of the step. A store that counts none ignores this. Contract §4.
 */
export type CodeToSend<A> = { readonly number: string; readonly refusal: A }

/**
 * Decides what to do with an order, synchronously and without side effects. Called with the stored
 * order and `referenceIsTaken: false`. If another order of the merchant holds the reference that
 * the step requests (its `reference`), called once more with true. A store may call it several
 * times, and commits the last result. If it throws, its own caller gets `Unavailable`; for
 * `complete`, the job becomes stuck. Contract §3.
 */
export type Decide<E, A> = (
  order: Order,
  referenceIsTaken: boolean,
) => Either<
  E,
  { readonly step: Step; readonly answer: A; readonly code?: CodeToSend<A> | undefined }
>

/**
 * Keeps orders with their journals, and commits each step as a whole. `storeContract` checks an
 * implementation.
 */
export type OrderStore = {
  /**
   * Stores a new order with its first journal line and jobs. If an order with this uuid exists, it
   * stays, and the result is `Unavailable`.
   *
   * @param payload the merchant's request body, unchanged
   */
  readonly place: (step: Step, payload: string) => TaskEither<ReferenceTaken | Unavailable, void>
  /** Reads one order by its uuid. */
  readonly read: (orderRef: string) => TaskEither<OrderNotFound | Unavailable, Order>
  /** The order of the merchant that holds this `order_ref_1`: at most one. Contract §3. */
  readonly findByReference: (
    merchantRef: string,
    orderRef1: string,
  ) => TaskEither<OrderNotFound | Unavailable, Order>
  /**
   * The lines of the order's journal, oldest first. There may be many, so a caller that needs only
   * the first ones gives `limit`.
   */
  readonly journal: (
    orderRef: string,
    limit?: number,
  ) => TaskEither<OrderNotFound | Unavailable, readonly JournalLine[]>
  /**
   * Applies a decision to the stored order, and commits order, journal and jobs together.
   * Concurrent steps of one order run one after another, in any order. Steps of different orders may share a
   * commit; if one of them fails, only its own caller sees the error. The answer is returned after
   * the commit, never before.
   */
  readonly step: <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
  ) => TaskEither<E | OrderNotFound | ReferenceTaken | Unavailable, A>
}
