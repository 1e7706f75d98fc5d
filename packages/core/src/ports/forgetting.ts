// The port through which a shopper is forgotten: a part of what remembers orders, for those who may do that.
import type { Either } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Lane } from '../order/effect.ts'
import type { Order } from '../order/order.ts'
import type { Step } from '../order/step.ts'
import type { OrderUnknown } from './store.ts'
import type { Unavailable } from './unavailable.ts'

/** Something of the order's is still to be done, or stuck: in these lanes. */
export type StillPending = { readonly _tag: 'StillPending'; readonly lanes: readonly Lane[] }

export type Forgetting = {
  /**
   * Commits the step that `decide` makes of an order with nothing pending, and destroys whatever else was kept of its
   * shopper: the merchant's payload, the journal's inputs, what was sent and answered, messages, cards. When it answers,
   * no other process writes any of it back, and nothing that it was sealed under is left. `again`: it had been done before;
   * what has come since (of a cancellation, say) is destroyed likewise, if there is any.
   */
  readonly forget: <E>(
    orderRef: string,
    decide: (order: Order) => Either<E, Step>,
  ) => TaskEither<E | OrderUnknown | StillPending | Unavailable, 'forgotten' | 'again'>
}
