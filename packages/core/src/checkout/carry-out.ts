// Runs one claimed effect: calls its port and returns the order's event and the entry's conclusion. Nothing here writes, so
// that the dispatcher can settle both in one transaction.
import { type Lazy, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { IPN_WEEK, type Work } from '../order/effect.ts'
import type { OrderEvent } from '../order/order-event.ts'
import { type ProviderError, type ProviderReply, type Providers, retryLater } from '../ports/deciders.ts'
import type { Entry } from '../ports/store.ts'
import { catchThrown, thrownField } from './caught.ts'
import { deliver, type WebhookSender } from './deliver.ts'
import { finish, isExpired, type Result, retry, retryAt } from './result.ts'

export type EffectHandlers = WebhookSender & { readonly deciders: Providers }

const EVALUATION_ASKED_AGAIN = 60_000

const HAS_THROWN: ProviderError = { _tag: 'ProviderError', message: 'The port has thrown.' }

type Tell<A> = (answer: A) => OrderEvent | null

/**
 * `jitter`: the largest fraction of a retry's step that is added to it, 0 to 1. Never fails: an error is part of the result,
 * which `settleEntry` writes.
 */
export const executeEffect =
  (performers: EffectHandlers, jitter: number) =>
  (entry: Entry): T.Task<Result> => {
    const { deciders } = performers
    const answers = entry.key
    const { work } = entry
    const asked = <Own extends Work>(own: Own) => ({
      key: entry.key,
      orderRef: entry.orderRef,
      work: own,
      firstAt: entry.firstAt,
      at: entry.startedAt,
    })
    const decided = <A>(
      ask: Lazy<TE.TaskEither<ProviderError, ProviderReply<A>>>,
      tell: Tell<A>,
      given: OrderEvent | null = null,
    ) => decision(performers, jitter, entry, ask, tell, given)

    switch (work.kind) {
      case 'timer':
        return async () =>
          finish(
            'delivered',
            work.timer === IPN_WEEK
              ? { type: 'ipn.exhausted', answers }
              : { type: 'timer.fired', answers, timer: work.timer },
          )
      case 'sms':
        return decided(
          () => deciders.sms.send(asked(work)),
          () => null,
        )
      case 'screening':
        return decided(
          () => deciders.screening.screen(asked(work)),
          (screened) => ({ type: 'screening.resolved', answers, ...screened }),
        )
      case 'cards':
        return decided(
          () => deciders.payments.recall(asked(work)),
          (cards) => ({ type: 'cards.recalled', answers, cards }),
        )
      case 'session':
        return decided(
          () => deciders.identity.open(asked(work)),
          (news) =>
            news === null
              ? null
              : news.type === 'opened'
                ? { type: 'session.opened', answers, url: news.url }
                : { type: 'session.reported', answers, status: news.status },
          { type: 'session.unavailable', answers },
        )
      case 'payment':
        return decided(
          () => deciders.payments.open(asked(work)),
          (page) => (page === null ? null : { type: 'payment.opened', answers, url: page.url }),
          { type: 'payment.unavailable', answers },
        )
      case 'void':
        return decided(
          () => deciders.payments.void(asked(work)),
          () => null,
        )
      case 'refund':
        return decided(
          () => deciders.payments.refund(asked(work)),
          () => ({ type: 'payment.refunded', answers }),
        )
      case 'card':
        return decided(
          () => deciders.payments.keep(asked(work)),
          () => null,
        )
      case 'risk':
        return decided(
          () =>
            pipe(
              deciders.risk.assess(asked(work)),
              // The merchant already knows that the order is under evaluation, so the same answer again is no event.
              TE.map((reply) =>
                work.underEvaluation && reply.type === 'answer' && reply.answer === 'under_evaluation'
                  ? retryLater(EVALUATION_ASKED_AGAIN)
                  : reply,
              ),
            ),
          (level) => ({ type: 'risk.assessed', answers, level }),
        )
      case 'watch':
        return decided(
          () => deciders.risk.watch(asked(work)),
          (advice) => (advice === null ? null : { type: 'cancellation.advised', answers, delay: advice.cancelIn }),
        )
      case 'ipn':
      case 'event':
        return deliver(performers, jitter, { ...entry, work })
    }
  }

const decision = <A>(
  performers: EffectHandlers,
  jitter: number,
  entry: Entry,
  ask: Lazy<TE.TaskEither<ProviderError, ProviderReply<A>>>,
  tell: Tell<A>,
  given: OrderEvent | null,
): T.Task<Result> =>
  // The effect expired before it could run, for example a code that became invalid while no worker was running.
  isExpired(entry, entry.startedAt)
    ? async () => finish('stopped', null)
    : pipe(
        catchThrown(ask, HAS_THROWN),
        TE.match(
          ({ message, ...failure }) => ({
            ...retry(performers, jitter, entry, { retryAfterMillis: null, error: message }, null, given),
            ...thrownField(failure),
          }),
          (told): Result => {
            if (told.type === 'answer') return finish('delivered', tell(told.answer))
            // `startedAt` may come from a clock slightly ahead of ours, such as the database's. Without the maximum the port
            // could be asked too early, and then once more.
            const answeredAt = Math.max(entry.startedAt, performers.clock.now())
            return retryAt(entry, answeredAt + told.inMillis)
          },
        ),
      )
