// Reads everything that an explanation of an order is made of, and shows the explanation. It never has
// the shopper's data, so the merchant and operators read the same. Contract §3, Explanation.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Explanation, explainWith, LINES_READ } from '../../explanation/explanation.ts'
import { sentencesOf } from '../../explanation/sentences.ts'
import type { Effect } from '../../order/effects/effect.ts'
import { forEachRegion, ORDER_MODEL } from '../../order/model.ts'
import type { Order, Region } from '../../order/order.ts'
import { nameOnWire, stateOnWire } from '../../order/order-facts.ts'
import type { DeliveryNotFound } from '../../ports/deliveries.ts'
import { type OrderNotFound, toUnavailable, type Unavailable } from '../../ports/store-errors.ts'
import type { ExplanationView } from '../../protocol/explanation-view.ts'
import { money } from '../../protocol/language.ts'
import { instantText } from '../../protocol/scalars.ts'
import type { FullHost } from '../host.ts'

// An order has no more deliveries that are unfinished.
const DELIVERIES_MAX = 1_000

/**
 * Says where an order is, whom it awaits, and what happens next by itself. Reads its jobs, deliveries
 * and journal.
 *
 * @example
 * ```ts
 * const explanation = await explainOrder(host)(order)()
 * if (explanation._tag === 'Right') console.log(explanation.right.awaits, explanation.right.byItself)
 * ```
 */
export const explainOrder =
  ({ store, clock, terms }: Pick<FullHost, 'store' | 'clock' | 'terms'>) =>
  (order: Order): TE.TaskEither<OrderNotFound | DeliveryNotFound | Unavailable, Explanation> => {
    const { orderRef, merchant } = order.placed
    const { first } = order.context.references
    const limits = { state: 'pending', before: null, limit: DELIVERIES_MAX } as const
    return pipe(
      TE.Do,
      TE.bindW('journal', () => store.journal(orderRef, LINES_READ)),
      TE.bindW('jobs', () =>
        pipe(
          store.inspection.pendingJobs(orderRef),
          TE.map((jobs) => jobs.filter(({ isResend }) => !isResend)),
        ),
      ),
      TE.bindW('deliveries', () =>
        store.deliveries.list({ merchantRef: merchant.ref, orderRef, ...limits }),
      ),
      TE.bindW('referenceIsTaken', () =>
        first === ''
          ? TE.right(false)
          : pipe(
              store.findByReference(merchant.ref, first),
              TE.map(({ placed }) => placed.orderRef !== orderRef),
              TE.orElseW((error) =>
                error._tag === 'OrderNotFound' ? TE.right(false) : TE.left(error),
              ),
            ),
      ),
      // An order in a state of another model has no explanation here. Another node may know it.
      TE.chainEitherKW((facts) =>
        E.tryCatch(() => explainWith(terms)({ ...facts, order, at: clock.now() }), toUnavailable),
      ),
    )
  }

/** An effect without its content, which may be a shopper's. */
const effectText = (effect: Effect): string =>
  effect.type === 'do' && effect.payload.kind === 'event'
    ? `do event ${effect.payload.event}`
    : `${effect.type} ${effect.lane}`

/**
 * An explanation in the form of the Order API.
 *
 * @example
 * ```ts
 * const explanation = await explainOrder(host)(order)()
 * if (explanation._tag === 'Right') console.log(explanationView(order, explanation.right))
 * ```
 */
export const explanationView = (
  order: Order,
  explanation: Explanation,
  model = ORDER_MODEL,
): ExplanationView => {
  const { awaits, byItself } = explanation
  const instant = (at: number | null): string | null => (at === null ? null : instantText(at))
  const amount = (value: number) => money(value, order.placed.currency, 'en')
  const where = (region: Region) => ({
    state: nameOnWire(region, order.state, model),
    since: instant(explanation.since[region]),
  })
  return {
    where: forEachRegion(where),
    awaits: awaits.map(({ who, what, since, until, ...tries }) => ({
      who,
      what,
      since: instant(since),
      until: instant(until),
      delivery: who === 'merchant' ? tries.job : null,
      in_flight: tries.isInFlight,
      next_at: instant(tries.nextAt),
      last_attempt: tries.lastAttempt && {
        ...tries.lastAttempt,
        at: instantText(tries.lastAttempt.at),
      },
    })),
    by_itself: byItself && {
      event: byItself.event,
      at: instantText(byItself.at),
      is_latest: byItself.isLatest,
      state: stateOnWire(byItself.state, model),
      effects: byItself.effects.map(effectText),
      refunded: amount(byItself.refunded),
      charged: amount(byItself.charged),
    },
    sentences: sentencesOf(order, explanation, model),
  }
}
