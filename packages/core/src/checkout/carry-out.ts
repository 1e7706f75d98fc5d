// Carries out one claimed effect: calls the port, and says what the order is told and what becomes of the entry.
// Nothing here writes: the dispatcher settles what this returns, in one transaction.
import { type Lazy, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { IPN_WEEK, type Work } from '../order/effect.ts'
import type { OrderEvent } from '../order/order-event.ts'
import { type Deciders, later, type PortFailure, type Reply } from '../ports/deciders.ts'
import type { Entry } from '../ports/store.ts'
import { caught, thrownIn } from './caught.ts'
import { type Courier, deliver } from './deliver.ts'
import { again, againAt, ended, isOfNoUse, type Result } from './result.ts'

export type Performers = Courier & { readonly deciders: Deciders }

const EVALUATION_ASKED_AGAIN = 60_000

const HAS_THROWN: PortFailure = { _tag: 'PortFailure', message: 'The port has thrown.' }

type Tell<A> = (answer: A) => OrderEvent | null

/**
 * `jitter`: the largest part of a retry's step that is added to it, 0 to 1. Never fails: what did not work is in the result, for
 * `settleEntry`.
 */
export const carryOut =
  (performers: Performers, jitter: number) =>
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
      ask: Lazy<TE.TaskEither<PortFailure, Reply<A>>>,
      tell: Tell<A>,
      given: OrderEvent | null = null,
    ) => decision(performers, jitter, entry, ask, tell, given)

    switch (work.kind) {
      case 'timer':
        return async () =>
          ended(
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
              // Still under evaluation is no news: the merchant has been told so once.
              TE.map((reply) =>
                work.underEvaluation && reply.type === 'answer' && reply.answer === 'under_evaluation'
                  ? later(EVALUATION_ASKED_AGAIN)
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
  performers: Performers,
  jitter: number,
  entry: Entry,
  ask: Lazy<TE.TaskEither<PortFailure, Reply<A>>>,
  tell: Tell<A>,
  given: OrderEvent | null,
): T.Task<Result> =>
  // A code that became void while nobody was there to send it.
  isOfNoUse(entry, entry.startedAt)
    ? async () => ended('stopped', null)
    : pipe(
        caught(ask, HAS_THROWN),
        TE.match(
          ({ message, ...failure }) => ({
            ...again(performers, jitter, entry, { retryAfterMillis: null, error: message }, null, given),
            ...thrownIn(failure),
          }),
          (told): Result => {
            if (told.type === 'answer') return ended('delivered', tell(told.answer))
            // The clock that began it, a database's say, may be a little ahead of ours: asked too early, it would be asked twice.
            const answeredAt = Math.max(entry.startedAt, performers.clock.now())
            return againAt(entry, answeredAt + told.inMillis)
          },
        ),
      )
