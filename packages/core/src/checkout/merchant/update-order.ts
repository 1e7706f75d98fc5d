// The Order Update API: the merchant reports a shipment, or that they cancelled the order. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { heldReference, type Order } from '../../order/order.ts'
import type { OrderEvent } from '../../order/order-event.ts'
import { type InternalError, step } from '../../order/step.ts'
import type { OrderNotFound, ReferenceTaken } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import { decodeUpdate } from '../../protocol/order-payload.ts'
import { type Host, type Refused, refuse, stepInputOf } from '../host.ts'

const orderNotFound: OrderNotFound = { _tag: 'OrderNotFound' }

const CANCELLED: OrderEvent = { type: 'order.cancelled', by: 'merchant' }
const UPDATED: OrderEvent = { type: 'order.updated' }

/** `OrderNotFound` unless the merchant has a confirmed order with this `order_ref_1` that is not cancelled. */
export const updateOrder =
  (host: Host) =>
  (
    merchantRef: string,
    orderRef1: string,
    body: unknown,
  ): TE.TaskEither<OrderNotFound | ReferenceTaken | Refused | Unavailable | InternalError, null> => {
    const isRequested = (order: Order): boolean =>
      order.state.checkout === 'confirmed' && heldReference(order) === orderRef1

    return pipe(
      host.store.findByReference(merchantRef, orderRef1),
      TE.filterOrElseW(isRequested, () => orderNotFound),
      TE.bindTo('order'),
      TE.bindW('update', () =>
        pipe(
          decodeUpdate(body),
          E.mapLeft((sentences): Refused => refuse(...sentences)),
          TE.fromEither,
        ),
      ),
      TE.chainW(({ order, update }) =>
        host.store.step<OrderNotFound | InternalError, null>(order.placed.orderRef, (current, referenceIsTaken) =>
          pipe(
            current,
            // The order may have been cancelled, or its reference changed, since it was found.
            E.fromPredicate(isRequested, () => orderNotFound),
            E.chainW((confirmed) =>
              step(host.terms)(
                confirmed,
                update.isCancellation ? CANCELLED : UPDATED,
                stepInputOf(host, referenceIsTaken),
              ),
            ),
            E.map((next) => ({ step: next, answer: null })),
          ),
        ),
      ),
    )
  }
