// Records what providers report by themselves: a page behind `iframe_url` or `session_url` has the
// result of a card payment or of an ID session, and a callback has an answer that comes later. Each
// becomes the same event as a direct answer would. A repeated report, a late one, or one out of
// order changes nothing a second time. Contract §4, Payment and ID verification; §10.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isPending } from '../../order/effects/effect.ts'
import type { Order, OrderEvent } from '../../order/order.ts'
import type { Payment } from '../../order/order-context.ts'
import { type InternalError, step, unchanged } from '../../order/step.ts'
import type { ProviderUpdate, SessionStatus } from '../../protocol/provider-answer.ts'
import type { ProviderCallback } from '../../protocol/provider-callback.ts'
import { type Host, type StepError, stepInputOf } from '../host.ts'

/**
 * The result as a provider reports it. `payment.challenged`: the card's holder must still confirm
 * the payment.
 */
export type PaymentUpdate =
  | Extract<ProviderUpdate, { readonly type: 'payment.succeeded' | 'payment.failed' }>
  | Omit<Extract<OrderEvent, { readonly type: 'payment.challenged' }>, 'inReplyTo'>

/** The order never asked for this payment. */
export type PaymentNotFound = { readonly _tag: 'PaymentNotFound' }

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

/** The key of the request that the report answers; null: the order does not await it any more. */
type KeyIn<Failure> = (order: Order) => E.Either<Failure, string | null>

/** `isUsed`: the order still awaited the report. */
type Recorded = { readonly order: Order; readonly isUsed: boolean }

const record =
  (host: Host) =>
  <Failure>(
    orderRef: string,
    update: ProviderUpdate | PaymentUpdate,
    keyIn: KeyIn<Failure>,
  ): TaskEither<Failure | StepError, Recorded> =>
    host.store.step<Failure | InternalError, Recorded>(orderRef, (order, referenceIsTaken) => {
      const key = keyIn(order)
      if (E.isLeft(key)) return key
      const inReplyTo = key.right
      if (inReplyTo === null)
        return E.right({ step: unchanged(order), answer: { order, isUsed: false } })
      const stepInput = stepInputOf(host, order, referenceIsTaken)
      return pipe(
        step(host.terms)(order, { ...update, inReplyTo }, stepInput),
        E.map((next) => ({ step: next, answer: { order: next.order, isUsed: true } })),
      )
    })

// A payment that has succeeded stays as it is, so a second click does not pay twice. One that has
// failed or was voided changes only if it succeeds after all.
const keyOfPayment = (
  payment: Payment | undefined,
  { type }: Pick<PaymentUpdate, 'type'>,
): E.Either<PaymentNotFound, string | null> => {
  if (payment === undefined) return E.left({ _tag: 'PaymentNotFound' })
  const { state, key } = payment
  const isLate = type === 'payment.succeeded' && state !== 'succeeded' && state !== 'unexpected'
  return E.right(state === 'open' || isLate ? key : null)
}

/**
 * Records the result of a card payment. A payment that is not the open one may succeed too: the
 * order then refunds it. Contract §4, Payment.
 *
 * @example
 * ```ts
 * const paid = { type: 'payment.succeeded', card: null, keep: false } as const
 * const recorded = await recordPayment(host)(orderRef, token, paid)()
 * if (recorded._tag === 'Left') console.log(recorded.left._tag) // PaymentNotFound, Unavailable, …
 * ```
 */
export const recordPayment =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    update: PaymentUpdate,
  ): TaskEither<PaymentNotFound | StepError, Recorded> =>
    record(host)(orderRef, update, (order) => keyOfPayment(paymentWith(order, token), update))

/** The order has no such session, or has a newer one. */
export type SessionNotFound = { readonly _tag: 'SessionNotFound' }

/**
 * Records the result of an ID session. If the session has already ended, nothing changes.
 *
 * @example
 * ```ts
 * const recorded = await recordVerification(host)(orderRef, token, 'VERIFIED')()
 * if (recorded._tag === 'Left') console.log(recorded.left._tag) // SessionNotFound, Unavailable, …
 * ```
 */
export const recordVerification =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    status: SessionStatus,
  ): TaskEither<SessionNotFound | StepError, Recorded> =>
    record(host)<SessionNotFound>(
      orderRef,
      { type: 'session.reported', status },
      ({ context: { session, pending } }) =>
        session?.token === token
          ? E.right(pending.session ?? null)
          : E.left({ _tag: 'SessionNotFound' }),
    )

// The merchant already knows that the evaluation continues; only its end is news.
const isRepeatedEvaluation = ({ state }: Order, update: ProviderUpdate): boolean =>
  update.type === 'risk.assessed' &&
  update.level === 'under_evaluation' &&
  state.risk === 'underEvaluation'

/**
 * Applies what a provider reports about an earlier request. `isUsed` false: the order no longer
 * awaits it. docs/providers.md.
 *
 * @example
 * ```ts
 * const callback = decodeCallback('payment')(body)
 * if (callback._tag === 'Right') {
 *   const recorded = await recordProviderCallback(host)(callback.right)()
 *   if (recorded._tag === 'Right') console.log(recorded.right.isUsed)
 * }
 * ```
 */
export const recordProviderCallback =
  (host: Host) =>
  ({ orderRef, id, update }: ProviderCallback): TaskEither<PaymentNotFound | StepError, Recorded> =>
    record(host)(orderRef, update, (order) => {
      const { payments, pending } = order.context
      if (update.type === 'payment.succeeded' || update.type === 'payment.failed')
        return keyOfPayment(
          payments.find(({ key }) => key === id),
          update,
        )
      const isAwaited = isPending(pending, { inReplyTo: id })
      return E.right(isAwaited && !isRepeatedEvaluation(order, update) ? id : null)
    })
