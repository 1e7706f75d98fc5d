// What a provider tells by itself, later: it enters the order as the very event that its answer would have been.
// Told twice, too late or in another order, it changes nothing twice.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isAwaited } from '../order/awaited.ts'
import { laneOfKey } from '../order/effect.ts'
import type { Order } from '../order/order.ts'
import { concludes } from '../order/order-event.ts'
import { type Fault, type Step, step, still } from '../order/step.ts'
import type { OrderUnknown, ReferenceTaken } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import type { ProviderCallback, ProviderNews } from '../protocol/provider-callback.ts'
import { type Host, momentOf } from './host.ts'
import { isPaymentNews, type PaymentUnknown } from './record-payment.ts'

// The merchant has been told once that the evaluation goes on, and awaits its end.
const isStillOpen = ({ state }: Order, news: ProviderNews): boolean =>
  news.type === 'risk.assessed' && news.level === 'under_evaluation' && state.risk === 'underEvaluation'

const isNews = (order: Order, { id, news }: ProviderCallback): E.Either<PaymentUnknown, boolean> => {
  if (news.type !== 'payment.succeeded' && news.type !== 'payment.failed')
    return E.right(isAwaited(order.context.awaited, { answers: id }) && !isStillOpen(order, news))
  const payment = order.context.payments.find(({ key }) => key === id)
  return payment === undefined ? E.left({ _tag: 'PaymentUnknown' }) : E.right(isPaymentNews(payment, news))
}

// Whoever told needs not be asked again. Another question of the lane stays: only the awaited one is withdrawn.
const unasked = (order: Order, id: string, made: Step): Step =>
  isAwaited(order.context.awaited, { answers: id }) && made.journal.length > 0
    ? { ...made, effects: [{ type: 'withdraw', lane: laneOfKey(id) }, ...made.effects] }
    : made

const taken =
  (host: Host, referenceIsTaken: boolean) =>
  (order: Order, { id, news }: ProviderCallback): E.Either<Fault, Step> => {
    const event = { ...news, answers: id }
    return pipe(
      step(host.terms)(order, event, momentOf(host, referenceIsTaken)),
      E.map((made) => (concludes(event) ? unasked(order, id, made) : made)),
    )
  }

/** Answers with whether the order took it: `false` where nobody awaits it any more. */
export const recordNews =
  (host: Host) =>
  (told: ProviderCallback): TaskEither<PaymentUnknown | OrderUnknown | ReferenceTaken | Unavailable | Fault, boolean> =>
    host.store.step<PaymentUnknown | Fault, boolean>(told.orderRef, (order, referenceIsTaken) =>
      pipe(
        E.Do,
        E.bindW('answer', () => isNews(order, told)),
        E.bindW('step', ({ answer }) => (answer ? taken(host, referenceIsTaken)(order, told) : E.right(still(order)))),
      ),
    )
