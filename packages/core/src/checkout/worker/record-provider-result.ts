// Records what providers report by themselves: a page behind `iframe_url` or `session_url` has the
// result of a card payment or of an ID session, and a callback has an answer that comes later. Each
// becomes the same event as a direct answer would. A repeated report, a late one, or one out of
// order changes nothing a second time. Contract §4, Payment and ID verification; §10.
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isPending, laneOfKey } from '../../order/effects/effect.ts'
import type { Order, OrderEvent } from '../../order/order.ts'
import type { Payment } from '../../order/order-context.ts'
import { type InternalError, type Step, step, unchanged } from '../../order/step.ts'
import type { ProviderUpdate, SessionStatus } from '../../protocol/provider-answer.ts'
import type { ProviderCallback } from '../../protocol/provider-callback.ts'
import { changeOrder, type Host, type StepError, stepInputOf } from '../host.ts'

/**
 * The result as a provider reports it. `payment.challenged`: the card's holder must still confirm
 * the payment.
 */
export type PaymentUpdate =
  | Extract<ProviderUpdate, { readonly type: 'payment.succeeded' | 'payment.failed' }>
  | Omit<Extract<OrderEvent, { readonly type: 'payment.challenged' }>, 'inReplyTo'>

/** The order never asked for this payment. */
export type PaymentNotFound = { readonly _tag: 'PaymentNotFound' }

const paymentNotFound: PaymentNotFound = { _tag: 'PaymentNotFound' }

/**
 * The payment whose token is in a `pay` link; undefined if the order never asked for it.
 *
 * @example
 * ```ts
 * const payment = paymentWith(order, token)
 * console.log(payment?.state, payment?.providerUrl) // open, and where to redirect the shopper
 * ```
 */
export const paymentWith = ({ context }: Order, token: string): Payment | undefined =>
  context.payments.find((payment) => payment.token === token)

// A payment that has succeeded stays as it is, so a second click does not pay twice. One that has
// failed or was voided changes only if it succeeds after all.
const changesPayment = ({ state }: Payment, { type }: Pick<PaymentUpdate, 'type'>): boolean =>
  state === 'open' ||
  (type === 'payment.succeeded' && state !== 'succeeded' && state !== 'unexpected')

/**
 * Records the result of a card payment. A payment that is not the open one may succeed too: the
 * order then refunds it. Contract §4, Payment.
 *
 * @example
 * ```ts
 * const paid = { type: 'payment.succeeded', card: null, keep: false } as const
 * const order = await recordPayment(host)(orderRef, token, paid)()
 * if (order._tag === 'Left') console.log(order.left._tag) // PaymentNotFound, Unavailable, …
 * ```
 */
export const recordPayment =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    update: PaymentUpdate,
  ): TaskEither<PaymentNotFound | StepError, Order> =>
    changeOrder(host)<PaymentNotFound | InternalError>(orderRef, (order, stepInput) => {
      const payment = paymentWith(order, token)
      if (payment === undefined) return E.left(paymentNotFound)
      if (!changesPayment(payment, update)) return E.right(unchanged(order))
      return step(host.terms)(order, { ...update, inReplyTo: payment.key }, stepInput)
    })

/** The order has no such session, or has a newer one. */
export type SessionNotFound = { readonly _tag: 'SessionNotFound' }

/**
 * Records the result of an ID session. If the session has already ended, nothing changes.
 *
 * @example
 * ```ts
 * const order = await recordVerification(host)(orderRef, token, 'VERIFIED')()
 * if (order._tag === 'Left') console.log(order.left._tag) // SessionNotFound, Unavailable, …
 * ```
 */
export const recordVerification =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    status: SessionStatus,
  ): TaskEither<SessionNotFound | StepError, Order> =>
    changeOrder(host)<SessionNotFound | InternalError>(orderRef, (order, stepInput) => {
      const { session, pending } = order.context
      if (session?.token !== token) return E.left({ _tag: 'SessionNotFound' })
      if (pending.session === undefined) return E.right(unchanged(order))
      return step(host.terms)(
        order,
        { type: 'session.reported', inReplyTo: pending.session, status },
        stepInput,
      )
    })

// The merchant already knows that the evaluation continues; only its end is news.
const isRepeatedEvaluation = ({ state }: Order, update: ProviderUpdate): boolean =>
  update.type === 'risk.assessed' &&
  update.level === 'under_evaluation' &&
  state.risk === 'underEvaluation'

const isExpected = (
  order: Order,
  { id, update }: ProviderCallback,
): E.Either<PaymentNotFound, boolean> => {
  if (update.type !== 'payment.succeeded' && update.type !== 'payment.failed')
    return E.right(
      isPending(order.context.pending, { inReplyTo: id }) && !isRepeatedEvaluation(order, update),
    )
  const payment = order.context.payments.find(({ key }) => key === id)
  return payment === undefined ? E.left(paymentNotFound) : E.right(changesPayment(payment, update))
}

// The provider has answered, so its awaited request is revoked. If another request is awaited, the
// lane stays.
const revokeRequest = (order: Order, id: string, next: Step): Step =>
  isPending(order.context.pending, { inReplyTo: id }) && next.journal.length > 0
    ? { ...next, effects: [{ type: 'revoke', lane: laneOfKey(id) }, ...next.effects] }
    : next

/**
 * Applies what a provider reports about an earlier request. Returns whether the order used it:
 * `false` if it no longer awaits it. docs/providers.md.
 *
 * @example
 * ```ts
 * const callback = decodeCallback('payment')(body)
 * if (callback._tag === 'Right') {
 *   const isTaken = await recordProviderCallback(host)(callback.right)()
 *   console.log(isTaken) // Right: false if the order no longer awaits it
 * }
 * ```
 */
export const recordProviderCallback =
  (host: Host) =>
  (callback: ProviderCallback): TaskEither<PaymentNotFound | StepError, boolean> =>
    host.store.step<PaymentNotFound | InternalError, boolean>(
      callback.orderRef,
      (order, referenceIsTaken) => {
        const { id, update } = callback
        const expected = isExpected(order, callback)
        if (E.isLeft(expected)) return expected
        if (!expected.right) return E.right({ step: unchanged(order), answer: false })
        const event = { ...update, inReplyTo: id }
        const next = step(host.terms)(order, event, stepInputOf(host, referenceIsTaken))
        if (E.isLeft(next)) return next
        return E.right({ step: revokeRequest(order, id, next.right), answer: true })
      },
    )
