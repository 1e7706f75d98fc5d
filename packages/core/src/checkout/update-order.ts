// The Order Update API: the merchant tells what was shipped, or that the order is cancelled. Contract §3.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { heldReference } from '../order/order.ts'
import { step } from '../order/step.ts'
import { decodeUpdate } from '../protocol/order-payload.ts'
import { cancelOrder } from './cancel-order.ts'
import type { DecisionError } from './decision.ts'
import { type Host, momentOf, type Refused, refused } from './host.ts'

/** `OrderUnknown` unless the merchant has a confirmed and uncancelled order with this `order_ref_1`. */
export const updateOrder =
  (host: Host) =>
  (merchantRef: string, orderRef1: string, body: unknown): TE.TaskEither<DecisionError, null> =>
    pipe(
      host.store.findHolder(merchantRef, orderRef1),
      TE.filterOrElseW(
        ({ state }) => state.checkout === 'confirmed',
        () => ({ _tag: 'OrderUnknown' as const }),
      ),
      TE.bindTo('order'),
      TE.bindW('update', () =>
        pipe(
          decodeUpdate(body),
          E.mapLeft((sentences): Refused => refused(...sentences)),
          TE.fromEither,
        ),
      ),
      TE.chainW(({ order, update }) =>
        update.isCancellation
          ? pipe(
              cancelOrder(host)(order.placed.orderRef, 'merchant'),
              TE.map(() => null),
            )
          : host.store.step(order.placed.orderRef, (current, referenceIsTaken) =>
              pipe(
                current,
                // It may have been cancelled since it was found.
                E.fromPredicate(
                  (it) => heldReference(it) === orderRef1,
                  () => ({ _tag: 'OrderUnknown' as const }),
                ),
                E.chainW((it) => step(host.terms)(it, { type: 'order.updated' }, momentOf(host, referenceIsTaken))),
                E.map((made) => ({ step: made, answer: null })),
              ),
            ),
      ),
    )
