// Carries out one claimed effect: calls the port, and says what the order is told and what becomes of the entry.
// Nothing here writes: the dispatcher settles what this returns, in one transaction.
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Heard, isDecidedByBody, judgeCancel, judgeEvent, judgeIpn } from '../delivery/acceptance.ts'
import { type Report, responseKept, whyUnaccepted } from '../delivery/attempt.ts'
import { nextAttemptAt, retryAfterMillis } from '../delivery/schedule.ts'
import type { WorkKind } from '../order/effect.ts'
import type { OrderEvent } from '../order/order-event.ts'
import type { Clock } from '../ports/clock.ts'
import { type Asked, type Deciders, later, type PortFailure, type Reply } from '../ports/deciders.ts'
import type { MerchantGateway, RequestFailure } from '../ports/merchant-gateway.ts'
import type { Conclusion, Ending, Entry } from '../ports/store.ts'

export type Performers = { readonly deciders: Deciders; readonly gateway: MerchantGateway; readonly clock: Clock }

/** `event`: what the order is told, if anything. `error`: why it did not work, for the log. */
export type Result = {
  readonly event: OrderEvent | null
  readonly conclusion: Conclusion
  readonly error: string | null
  /** Of a delivery alone. */
  readonly report: Report | null
}

const EVALUATION_ASKED_AGAIN = 60_000

type Tell<A> = (answer: A) => OrderEvent | null

export const carryOut =
  (performers: Performers, jitter: number) =>
  (entry: Entry): T.Task<Result> => {
    const { deciders, gateway } = performers
    const answers = entry.key
    const { work } = entry
    const asked = <Kind extends WorkKind>(own: Extract<typeof work, { kind: Kind }>): Asked<Kind> => ({
      key: entry.key,
      orderRef: entry.orderRef,
      work: own as Asked<Kind>['work'],
      firstAt: entry.firstAt,
      at: entry.startedAt,
    })
    const decided = <A>(reply: TE.TaskEither<PortFailure, Reply<A>>, tell: Tell<A>, given: OrderEvent | null = null) =>
      decision(performers, jitter, entry, reply, tell, given)

    switch (work.kind) {
      case 'timer':
        return async () => ended('delivered', { type: 'timer.fired', answers, timer: work.timer })
      case 'sms':
        return decided(deciders.sms.send(asked<'sms'>(work)), () => null)
      case 'screening':
        return decided(deciders.screening.screen(asked<'screening'>(work)), (screened) => ({
          type: 'screening.resolved',
          answers,
          ...screened,
        }))
      case 'cards':
        return decided(deciders.payments.recall(asked<'cards'>(work)), (cards) => ({
          type: 'cards.recalled',
          answers,
          cards,
        }))
      case 'session':
        return decided(
          deciders.identity.open(asked<'session'>(work)),
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
          deciders.payments.open(asked<'payment'>(work)),
          (page) => (page === null ? null : { type: 'payment.opened', answers, url: page.url }),
          { type: 'payment.unavailable', answers },
        )
      case 'void':
        return decided(deciders.payments.void(asked<'void'>(work)), () => null)
      case 'refund':
        return decided(deciders.payments.refund(asked<'refund'>(work)), () => ({ type: 'payment.refunded', answers }))
      case 'card':
        return decided(deciders.payments.keep(asked<'card'>(work)), () => null)
      case 'risk':
        return decided(
          pipe(
            deciders.risk.assess(asked<'risk'>(work)),
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
        return decided(deciders.risk.watch(asked<'watch'>(work)), (advice) =>
          advice === null ? null : { type: 'cancellation.advised', answers, delay: advice.cancelIn },
        )
      case 'ipn':
      case 'event': {
        const readsBody = work.kind === 'event' && work.event !== 'identification_action' && isDecidedByBody(work.event)
        const { url, contentType, body } = work
        const { clock } = performers
        return pipe(
          TE.fromIO(clock.now),
          TE.chain((begunAt) =>
            pipe(
              gateway.post({ id: entry.key, merchantRef: entry.merchantRef, url, contentType, body, readsBody }),
              TE.bimap(
                (failure) => ({ failure, durationMillis: clock.now() - begunAt }),
                (heard) => ({ heard, durationMillis: clock.now() - begunAt }),
              ),
            ),
          ),
          TE.matchW(
            ({ failure, durationMillis }) => ({
              ...undelivered(performers, jitter, entry, failure),
              report: { durationMillis, status: null, error: failure.error, response: null },
            }),
            ({ heard, durationMillis }) => {
              const result = delivered(performers, jitter, entry, heard)
              const error = result.error === null ? null : whyUnaccepted(heard, readsBody)
              const { status } = heard
              return { ...result, report: { durationMillis, status, error, response: responseKept(heard.body) } }
            },
          ),
        )
      }
    }
  }

const ended = (as: Ending, event: OrderEvent | null, error: string | null = null): Result => ({
  event,
  conclusion: { type: 'ended', as },
  error,
  report: null,
})

type Tried = { readonly retryAfter: number | null; readonly error: string }

// Tried again on its schedule, or given up after the last slot; `given`: what the order is told then.
const again = (
  { clock }: Performers,
  jitter: number,
  entry: Entry,
  { retryAfter, error }: Tried,
  retold: OrderEvent | null,
  given: OrderEvent | null,
): Result => {
  const dueAt = nextAttemptAt({
    key: entry.key,
    kind: entry.work.kind,
    firstAt: entry.firstAt,
    startedAt: entry.startedAt,
    endedAt: clock.now(),
    retryAfter,
    jitter,
  })
  if (dueAt === null) return ended('exhausted', given, error)
  if (entry.until !== null && dueAt >= entry.until) return ended('stopped', null, error)
  return { event: retold, conclusion: { type: 'again', dueAt }, error, report: null }
}

const decision = <A>(
  performers: Performers,
  jitter: number,
  entry: Entry,
  reply: TE.TaskEither<PortFailure, Reply<A>>,
  tell: Tell<A>,
  given: OrderEvent | null,
): T.Task<Result> =>
  pipe(
    reply,
    TE.match(
      ({ message }) => again(performers, jitter, entry, { retryAfter: null, error: message }, null, given),
      (told): Result =>
        told.type === 'answer'
          ? ended('delivered', tell(told.answer))
          : {
              event: null,
              conclusion: { type: 'again', dueAt: performers.clock.now() + told.inMillis },
              error: null,
              report: null,
            },
    ),
  )

const answersOf = (entry: Entry) => ({ answers: entry.key })

const failedDelivery = (performers: Performers, jitter: number, entry: Entry, tried: Tried): Result => {
  const { work } = entry
  if (work.kind === 'ipn')
    return again(
      performers,
      jitter,
      entry,
      tried,
      { type: 'ipn.erred', ...answersOf(entry) },
      { type: 'ipn.exhausted', ...answersOf(entry) },
    )
  const isCancel = work.kind === 'event' && work.event === 'cancel'
  return again(
    performers,
    jitter,
    entry,
    tried,
    null,
    isCancel ? { type: 'cancel.exhausted', ...answersOf(entry) } : null,
  )
}

const undelivered = (performers: Performers, jitter: number, entry: Entry, failure: RequestFailure): Result =>
  failedDelivery(performers, jitter, entry, { retryAfter: null, error: `${failure.error}: ${failure.message}` })

const delivered = (performers: Performers, jitter: number, entry: Entry, heard: Heard): Result => {
  const { work } = entry
  const erred = () =>
    failedDelivery(performers, jitter, entry, {
      retryAfter: retryAfterMillis(heard.retryAfter, performers.clock.now()),
      error: `answered ${heard.status}`,
    })
  if (work.kind === 'ipn') {
    const verdict = judgeIpn(heard.status)
    if (verdict === 'erred') return erred()
    return ended('delivered', { type: verdict === 'accepted' ? 'ipn.accepted' : 'ipn.conflicted', ...answersOf(entry) })
  }
  if (work.kind !== 'event') return ended('delivered', null)
  if (work.event !== 'cancel')
    return judgeEvent(work.event, heard.status) === 'accepted' ? ended('delivered', null) : erred()
  const answer = judgeCancel(heard)
  switch (answer.result) {
    case 'erred':
      return erred()
    case 'cancelled':
      return ended('delivered', { type: 'cancel.agreed', ...answersOf(entry) })
    case 'toolate':
      return ended('delivered', { type: 'cancel.refused', ...answersOf(entry), lateByMinutes: answer.lateByMinutes })
    case 'retry':
      return ended('delivered', { type: 'cancel.deferred', ...answersOf(entry), retryInMinutes: answer.retryInMinutes })
    case 'unsupported':
      return ended('unsupported', { type: 'cancel.unsupported', ...answersOf(entry) })
  }
}
