// A provider may report a result later, in a callback. The callback becomes the same event as a direct answer would.
// A repeated callback, a late one, or one out of order changes nothing a second time.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isPending } from '../order/awaited.ts'
import { laneOfKey } from '../order/effect.ts'
import type { Order } from '../order/order.ts'
import { isFinalReply } from '../order/order-event.ts'
import { type InternalError, type Step, step, unchanged } from '../order/step.ts'
import type { OrderNotFound, ReferenceTaken } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import type { ProviderCallback, ProviderUpdate } from '../protocol/provider-callback.ts'
import { type Host, momentOf } from './host.ts'
import { changesPayment, type PaymentNotFound } from './record-payment.ts'

// The merchant already knows that the evaluation continues; only its end is news.
const isStillOpen = ({ state }: Order, news: ProviderUpdate): boolean =>
  news.type === 'risk.assessed' && news.level === 'under_evaluation' && state.risk === 'underEvaluation'

const isNews = (order: Order, { id, news }: ProviderCallback): E.Either<PaymentNotFound, boolean> => {
  if (news.type !== 'payment.succeeded' && news.type !== 'payment.failed')
    return E.right(isPending(order.context.awaited, { answers: id }) && !isStillOpen(order, news))
  const payment = order.context.payments.find(({ key }) => key === id)
  return payment === undefined ? E.left({ _tag: 'PaymentNotFound' }) : E.right(changesPayment(payment, news))
}

// The provider has answered, so its awaited request is withdrawn from the lane. If another request is awaited, the lane stays.
const unasked = (order: Order, id: string, made: Step): Step =>
  isPending(order.context.awaited, { answers: id }) && made.journal.length > 0
    ? { ...made, effects: [{ type: 'withdraw', lane: laneOfKey(id) }, ...made.effects] }
    : made

const taken =
  (host: Host, referenceIsTaken: boolean) =>
  (order: Order, { id, news }: ProviderCallback): E.Either<InternalError, Step> => {
    const event = { ...news, answers: id }
    return pipe(
      step(host.terms)(order, event, momentOf(host, referenceIsTaken)),
      E.map((made) => (isFinalReply(event) ? unasked(order, id, made) : made)),
    )
  }

/** Returns whether the order used the callback: `false` if it no longer awaits it. */
export const recordProviderCallback =
  (host: Host) =>
  (
    told: ProviderCallback,
  ): TaskEither<PaymentNotFound | OrderNotFound | ReferenceTaken | Unavailable | InternalError, boolean> =>
    host.store.step<PaymentNotFound | InternalError, boolean>(told.orderRef, (order, referenceIsTaken) =>
      pipe(
        E.Do,
        E.bindW('answer', () => isNews(order, told)),
        E.bindW('step', ({ answer }) =>
          answer ? taken(host, referenceIsTaken)(order, told) : E.right(unchanged(order)),
        ),
      ),
    )
