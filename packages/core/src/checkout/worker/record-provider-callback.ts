// A provider may report a result later, in a callback. The callback becomes the same event as a direct answer would.
// A repeated callback, a late one, or one out of order changes nothing a second time.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { isPending, laneOfKey } from '../../order/effects/effect.ts'
import type { Order } from '../../order/order.ts'
import { type InternalError, type Step, unchanged } from '../../order/step.ts'
import type { ProviderCallback, ProviderUpdate } from '../../protocol/provider-answer.ts'
import { applyEvent, type Host, type StepError } from '../host.ts'
import { changesPayment, type PaymentNotFound } from '../shopper/record-page-result.ts'

// The merchant already knows that the evaluation continues; only its end is news.
const isRepeatedEvaluation = ({ state }: Order, update: ProviderUpdate): boolean =>
  update.type === 'risk.assessed' && update.level === 'under_evaluation' && state.risk === 'underEvaluation'

const isExpected = (order: Order, { id, update }: ProviderCallback): E.Either<PaymentNotFound, boolean> => {
  if (update.type !== 'payment.succeeded' && update.type !== 'payment.failed')
    return E.right(isPending(order.context.pending, { inReplyTo: id }) && !isRepeatedEvaluation(order, update))
  const payment = order.context.payments.find(({ key }) => key === id)
  return payment === undefined ? E.left({ _tag: 'PaymentNotFound' }) : E.right(changesPayment(payment, update))
}

// The provider has answered, so its awaited request is revoked. If another request is awaited, the lane stays.
const revokeRequest = (order: Order, id: string, next: Step): Step =>
  isPending(order.context.pending, { inReplyTo: id }) && next.journal.length > 0
    ? { ...next, effects: [{ type: 'revoke', lane: laneOfKey(id) }, ...next.effects] }
    : next

/** Returns whether the order used the callback: `false` if it no longer awaits it. */
export const recordProviderCallback =
  (host: Host) =>
  (callback: ProviderCallback): TaskEither<PaymentNotFound | StepError, boolean> =>
    host.store.step<PaymentNotFound | InternalError, boolean>(callback.orderRef, (order, referenceIsTaken) => {
      const { id, update } = callback
      return pipe(
        isExpected(order, callback),
        E.bindTo('answer'),
        E.bindW('step', ({ answer }) =>
          answer
            ? pipe(
                applyEvent(host, order, { ...update, inReplyTo: id }, referenceIsTaken),
                E.map((next) => revokeRequest(order, id, next)),
              )
            : E.right(unchanged(order)),
        ),
      )
    })
