// The pages behind `iframe_url` and `session_url` report their results here: a card payment, an ID session. Contract §4,
// Payment and ID verification; §8.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../../order/order.ts'
import type { Payment, SavedCard } from '../../order/order-context.ts'
import { type InternalError, step, unchanged } from '../../order/step.ts'
import type { OrderNotFound, ReferenceTaken } from '../../ports/order-store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import type { SessionStatus } from '../../protocol/provider-answer.ts'
import type { ProviderUpdate } from '../../protocol/provider-callback.ts'
import { type Host, stepInputOf } from '../host.ts'

/** The result as a provider reports it. `payment.challenged`: the card's holder must still confirm the payment. */
export type PaymentUpdate =
  | Extract<ProviderUpdate, { readonly type: 'payment.succeeded' | 'payment.failed' }>
  | { readonly type: 'payment.challenged'; readonly token: string; readonly card: SavedCard; readonly keep: boolean }

/** The order never asked for this payment. */
export type PaymentNotFound = { readonly _tag: 'PaymentNotFound' }

/** The payment whose token is in a `pay` link; undefined if the order never asked for it. */
export const paymentWith = ({ context }: Order, token: string): Payment | undefined =>
  context.payments.find((payment) => payment.token === token)

// A finished payment stays as it is, so a second click pays nothing twice. For a payment that is not the open one, only
// success is news.
export const changesPayment = ({ state }: Payment, { type }: Pick<PaymentUpdate, 'type'>): boolean =>
  state === 'open' || (type === 'payment.succeeded' && state !== 'succeeded' && state !== 'unexpected')

/** Also records the success of a payment that is not the open one: the order refunds it. */
export const recordPayment =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    update: PaymentUpdate,
  ): TaskEither<PaymentNotFound | OrderNotFound | ReferenceTaken | Unavailable | InternalError, Order> =>
    host.store.step<PaymentNotFound | InternalError, Order>(orderRef, (order, referenceIsTaken) => {
      const payment = paymentWith(order, token)
      if (payment === undefined) return E.left({ _tag: 'PaymentNotFound' })
      return pipe(
        changesPayment(payment, update)
          ? step(host.terms)(order, { ...update, inReplyTo: payment.key }, stepInputOf(host, referenceIsTaken))
          : E.right(unchanged(order)),
        E.map((next) => ({ step: next, answer: next.order })),
      )
    })

/** The order has no such session, or has a newer one. */
export type SessionNotFound = { readonly _tag: 'SessionNotFound' }

/**
 * The page behind `session_url` reports the result of an ID session here. Records the result of a session. If the session has
 * already ended, nothing changes. Contract §4, ID verification; §8.
 */
export const recordVerification =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    status: SessionStatus,
  ): TaskEither<SessionNotFound | OrderNotFound | ReferenceTaken | Unavailable | InternalError, Order> =>
    host.store.step<SessionNotFound | InternalError, Order>(orderRef, (order, referenceIsTaken) => {
      if (order.context.session?.token !== token) return E.left({ _tag: 'SessionNotFound' })
      const key = order.context.pending.session
      return pipe(
        key === undefined
          ? E.right(unchanged(order))
          : step(host.terms)(
              order,
              { type: 'session.reported', inReplyTo: key, status },
              stepInputOf(host, referenceIsTaken),
            ),
        E.map((next) => ({ step: next, answer: next.order })),
      )
    })
