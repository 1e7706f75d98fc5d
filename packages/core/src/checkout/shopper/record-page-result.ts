// The pages behind `iframe_url` and `session_url` report their results here: a card payment, an ID session. Contract §4,
// Payment and ID verification; §8.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../../order/order.ts'
import type { Payment } from '../../order/order-context.ts'
import type { ProviderUpdate, SavedCard, SessionStatus } from '../../protocol/provider-answer.ts'
import { type Host, type StepError, stepStoredOrder } from '../host.ts'

/** The result as a provider reports it. `payment.challenged`: the card's holder must still confirm the payment. */
export type PaymentUpdate =
  | Extract<ProviderUpdate, { readonly type: 'payment.succeeded' | 'payment.failed' }>
  | { readonly type: 'payment.challenged'; readonly token: string; readonly card: SavedCard; readonly keep: boolean }

/** The order never asked for this payment. */
export type PaymentNotFound = { readonly _tag: 'PaymentNotFound' }

/** The payment whose token is in a `pay` link; undefined if the order never asked for it. */
export const paymentWith = ({ context }: Order, token: string): Payment | undefined =>
  context.payments.find((payment) => payment.token === token)

// A payment that has succeeded stays as it is, so a second click does not pay twice. One that has failed or was voided changes
// only if it succeeds after all.
export const changesPayment = ({ state }: Payment, { type }: Pick<PaymentUpdate, 'type'>): boolean =>
  state === 'open' || (type === 'payment.succeeded' && state !== 'succeeded' && state !== 'unexpected')

/** Also records the success of a payment that is not the open one: the order refunds it. */
export const recordPayment =
  (host: Host) =>
  (orderRef: string, token: string, update: PaymentUpdate): TaskEither<PaymentNotFound | StepError, Order> =>
    stepStoredOrder(host)<PaymentNotFound>(orderRef, (order) => {
      const payment = paymentWith(order, token)
      if (payment === undefined) return E.left({ _tag: 'PaymentNotFound' })
      return E.right(changesPayment(payment, update) ? { ...update, inReplyTo: payment.key } : null)
    })

/** The order has no such session, or has a newer one. */
export type SessionNotFound = { readonly _tag: 'SessionNotFound' }

/** Records the result of an ID session. If the session has already ended, nothing changes. */
export const recordVerification =
  (host: Host) =>
  (orderRef: string, token: string, status: SessionStatus): TaskEither<SessionNotFound | StepError, Order> =>
    stepStoredOrder(host)<SessionNotFound>(orderRef, ({ context: { session, pending } }) => {
      if (session?.token !== token) return E.left({ _tag: 'SessionNotFound' })
      const inReplyTo = pending.session
      return E.right(inReplyTo === undefined ? null : { type: 'session.reported', inReplyTo, status })
    })
