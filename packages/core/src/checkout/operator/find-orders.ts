// Operators name an order by its uuid or by either of its references, as a shopper or a merchant
// quotes them: perhaps in another case, or only the beginning.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../../order/order.ts'
import type { FullStore } from '../../ports/store.ts'
import type { Unavailable } from '../../ports/store-errors.ts'

/** The orders that a text may name, the most recently placed first. */
export type FoundOrders = {
  readonly orders: readonly Order[]
  /** The text is the whole uuid or a whole reference of these orders, and not only its beginning. */
  readonly isWhole: boolean
}

/**
 * Up to `limit` orders whose uuid or reference is the text, the most recently placed first. If
 * there is none, those whose uuid or reference begins with it, and those of the merchant with this
 * ref.
 *
 * @example
 * ```ts
 * const found = await findOrders(host.store, 20)('A-1001')()
 * if (found._tag === 'Right') console.log(found.right.orders.map(orderView))
 * ```
 */
export const findOrders =
  ({ orders }: Pick<FullStore, 'orders'>, limit: number) =>
  (value: string): TE.TaskEither<Unavailable, FoundOrders> => {
    const search = (isWhole: boolean) =>
      pipe(
        orders.search({ text: { value, isWhole } }, null, limit),
        TE.map((page): FoundOrders => ({ orders: page.orders, isWhole })),
      )
    return value === ''
      ? TE.right({ orders: [], isWhole: true })
      : pipe(
          search(true),
          TE.chain((found) => (found.orders.length > 0 ? TE.right(found) : search(false))),
        )
  }
