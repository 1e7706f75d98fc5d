// Makes one attempt of a delivery: sends the request, derives the order's event from the answer, and reports the attempt.
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  classifyCancelResponse,
  classifyEventResponse,
  classifyIpnResponse,
  type HttpResponse,
  statusesThatNeedBody,
} from '../delivery/acceptance.ts'
import { type Report, rejectionReason, truncateResponse } from '../delivery/attempt.ts'
import { retryAfterMillis } from '../delivery/schedule.ts'
import type { Work } from '../order/effect.ts'
import type { Clock } from '../ports/clock.ts'
import type { MerchantGateway, RequestFailure } from '../ports/merchant-gateway.ts'
import type { Entry } from '../ports/store.ts'
import { catchThrown, thrownField } from './caught.ts'
import { finish, type Result, retry, retryAt, type Tried } from './result.ts'

export type WebhookSender = {
  readonly gateway: MerchantGateway
  readonly clock: Clock
  /** Real time in epoch milliseconds, if `clock` may have been moved. Merchants' clocks show real time. */
  readonly realNow?: () => number
}

export type DeliveryWork = Extract<Work, { readonly kind: 'event' | 'ipn' }>
type DeliveryEntry = Entry & { readonly work: DeliveryWork }

const HAS_THROWN: RequestFailure = {
  _tag: 'RequestFailure',
  error: 'protocol_error',
  message: 'The gateway has thrown.',
}

const decidingBodies = ({ work }: DeliveryEntry): readonly number[] =>
  work.kind === 'event' ? statusesThatNeedBody(work.event) : []

/** `readsBody`: true reads the whole body even if the status line decides, so that the answer can be shown. */
export const deliver = (
  courier: WebhookSender,
  jitter: number,
  entry: DeliveryEntry,
  readsBody: true | readonly number[] = decidingBodies(entry),
): T.Task<Result & { readonly report: Report }> => {
  const { gateway, clock } = courier
  const { url, contentType, body } = entry.work
  return pipe(
    TE.fromIO(clock.now),
    TE.chain((begunAt) =>
      pipe(
        catchThrown(
          () =>
            gateway.post({
              id: entry.key,
              merchantRef: entry.merchantRef,
              url,
              contentType,
              body,
              readsBody,
              attempt: entry.token,
            }),
          HAS_THROWN,
        ),
        TE.bimap(
          (failure) => ({ failure, durationMillis: clock.now() - begunAt }),
          (heard) => ({ heard, durationMillis: clock.now() - begunAt }),
        ),
      ),
    ),
    TE.matchW(
      ({ failure, durationMillis }) => ({
        ...undelivered(courier, jitter, entry, failure),
        ...thrownField(failure),
        report: { durationMillis, status: failure.status ?? null, error: failure.error, response: null },
      }),
      ({ heard, durationMillis }) => {
        const result = delivered(courier, jitter, entry, heard)
        const error = result.error === null ? null : rejectionReason(heard, decidingBodies(entry))
        return {
          ...result,
          report: { durationMillis, status: heard.status, error, response: truncateResponse(heard.body) },
        }
      },
    ),
  )
}

const answersOf = (entry: Entry) => ({ answers: entry.key })

const failedDelivery = (courier: WebhookSender, jitter: number, entry: DeliveryEntry, tried: Tried): Result => {
  const { work } = entry
  if (work.kind === 'ipn')
    return retry(
      courier,
      jitter,
      entry,
      tried,
      { type: 'ipn.erred', ...answersOf(entry) },
      { type: 'ipn.exhausted', ...answersOf(entry) },
    )
  const given = work.event === 'cancel' ? ({ type: 'cancel.exhausted', ...answersOf(entry) } as const) : null
  return retry(courier, jitter, entry, tried, null, given)
}

// The merchant was not called. This uses none of the week's slots and says nothing about the delivery.
const UNCALLED_AGAIN = 10_000
const NOT_CALLED: ReadonlySet<RequestFailure['error']> = new Set(['secrets_unavailable', 'no_socket'])

const undelivered = (courier: WebhookSender, jitter: number, entry: DeliveryEntry, failure: RequestFailure): Result => {
  const error = `${failure.error}: ${failure.message}`
  if (!NOT_CALLED.has(failure.error)) return failedDelivery(courier, jitter, entry, { retryAfterMillis: null, error })
  const retried = retryAt(entry, courier.clock.now() + UNCALLED_AGAIN, error)
  return { ...retried, wasCalled: false, hasNoSocket: failure.error === 'no_socket' }
}

// A date may refer to the moved clock or to real time. Uses the shorter wait of those that are not over.
const wishOf = ({ clock, realNow = clock.now }: WebhookSender, header: string | null): number | null => {
  const wishes = [clock.now(), realNow()].map((at) => retryAfterMillis(header, at) ?? 0).filter((wish) => wish > 0)
  return wishes.length === 0 ? null : Math.min(...wishes)
}

const delivered = (courier: WebhookSender, jitter: number, entry: DeliveryEntry, heard: HttpResponse): Result => {
  const { work } = entry
  const erred = () =>
    failedDelivery(courier, jitter, entry, {
      retryAfterMillis: wishOf(courier, heard.retryAfter),
      error: `answered ${heard.status}`,
    })
  if (work.kind === 'ipn') {
    const verdict = classifyIpnResponse(heard.status)
    if (verdict === 'erred') return erred()
    return finish('delivered', {
      type: verdict === 'accepted' ? 'ipn.accepted' : 'ipn.conflicted',
      ...answersOf(entry),
    })
  }
  if (work.event !== 'cancel')
    return classifyEventResponse(work.event, heard.status) === 'accepted' ? finish('delivered', null) : erred()
  const answer = classifyCancelResponse(heard)
  switch (answer.result) {
    case 'erred':
      return erred()
    case 'cancelled':
      return finish('delivered', { type: 'cancel.agreed', ...answersOf(entry) })
    case 'toolate':
      return finish('delivered', { type: 'cancel.refused', ...answersOf(entry), lateByMinutes: answer.lateByMinutes })
    case 'retry':
      return finish('delivered', {
        type: 'cancel.deferred',
        ...answersOf(entry),
        retryInMinutes: answer.retryInMinutes,
      })
    case 'unsupported':
      return finish('unsupported', { type: 'cancel.unsupported', ...answersOf(entry) })
  }
}
