// Operators erase a shopper's data on request. The order, its state and its history stay.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { eraseShopper, erasureBlocker } from '../../order/erase-shopper.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { ShopperErasure } from '../../ports/erasure.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import { type Refused, refuse } from '../host.ts'

/** `Refused` while the order still needs its shopper, or has pending or stuck effects. `retry`: it was erased before. */
export const eraseShopperData =
  ({ erasure, clock }: { readonly erasure: ShopperErasure; readonly clock: Clock }) =>
  (orderRef: string): TE.TaskEither<Refused | OrderNotFound | Unavailable, 'erased' | 'already_erased'> =>
    pipe(
      erasure.erase(orderRef, (order) => {
        const blocker = erasureBlocker(order)
        return blocker === null ? E.right(eraseShopper(order, clock.now())) : E.left(refuse(blocker))
      }),
      TE.mapLeft((error) =>
        error._tag === 'StillPending'
          ? refuse(`The order has jobs that are pending or stuck: ${error.lanes.join(', ')}.`)
          : error,
      ),
    )
