// What the shopper's card payment came to, told by the page behind `iframe_url`. Contract §4, Payment; §8.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import type { Payment, SavedCard } from '../order/order-context.ts'
import { type Fault, step, still } from '../order/step.ts'
import type { OrderUnknown, ReferenceTaken } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import type { ProviderNews } from '../protocol/provider-callback.ts'
import { type Host, momentOf } from './host.ts'

/** As a provider tells it; or the card's holder has still to prove himself. */
export type PaymentNews =
  | Extract<ProviderNews, { readonly type: 'payment.succeeded' | 'payment.failed' }>
  | { readonly type: 'payment.challenged'; readonly token: string; readonly card: SavedCard; readonly keep: boolean }

/** The order never asked for this payment. */
export type PaymentUnknown = { readonly _tag: 'PaymentUnknown' }

/** The payment that a link `pay` speaks of by its token; undefined where the order never asked for it. */
export const paymentWith = ({ context }: Order, token: string): Payment | undefined =>
  context.payments.find((payment) => payment.token === token)

// What is done stays as it is: a second click pays nothing twice. Of a payment that is not the open one only its
// success is news.
export const isPaymentNews = ({ state }: Payment, { type }: Pick<PaymentNews, 'type'>): boolean =>
  state === 'open' || (type === 'payment.succeeded' && state !== 'succeeded' && state !== 'stray')

/** A payment that is not the open one is taken in too: what succeeded unasked is given back. */
export const recordPayment =
  (host: Host) =>
  (
    orderRef: string,
    token: string,
    news: PaymentNews,
  ): TaskEither<PaymentUnknown | OrderUnknown | ReferenceTaken | Unavailable | Fault, Order> =>
    host.store.step<PaymentUnknown | Fault, Order>(orderRef, (order, referenceIsTaken) => {
      const payment = paymentWith(order, token)
      if (payment === undefined) return E.left({ _tag: 'PaymentUnknown' })
      return pipe(
        isPaymentNews(payment, news)
          ? step(host.terms)(order, { ...news, answers: payment.key }, momentOf(host, referenceIsTaken))
          : E.right(still(order)),
        E.map((made) => ({ step: made, answer: made.order })),
      )
    })
