// Makes one attempt of a delivery: sends the request, derives the order's event from the answer, and reports the attempt.
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { decidedByBody, type Heard, judgeCancel, judgeEvent, judgeIpn } from '../delivery/acceptance.ts'
import { type Report, responseKept, whyUnaccepted } from '../delivery/attempt.ts'
import { retryAfterMillis } from '../delivery/schedule.ts'
import type { Work } from '../order/effect.ts'
import type { Clock } from '../ports/clock.ts'
import type { MerchantGateway, RequestFailure } from '../ports/merchant-gateway.ts'
import type { Entry } from '../ports/store.ts'
import { caught, thrownIn } from './caught.ts'
import { again, againAt, ended, type Result, type Tried } from './result.ts'

export type Courier = {
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
  work.kind === 'event' ? decidedByBody(work.event) : []

/** `readsBody`: true reads the whole body even if the status line decides, so that the answer can be shown. */
export const deliver = (
  courier: Courier,
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
        caught(
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
        ...thrownIn(failure),
        report: { durationMillis, status: failure.status ?? null, error: failure.error, response: null },
      }),
      ({ heard, durationMillis }) => {
        const result = delivered(courier, jitter, entry, heard)
        const error = result.error === null ? null : whyUnaccepted(heard, decidingBodies(entry))
        return {
          ...result,
          report: { durationMillis, status: heard.status, error, response: responseKept(heard.body) },
        }
      },
    ),
  )
}

const answersOf = (entry: Entry) => ({ answers: entry.key })

const failedDelivery = (courier: Courier, jitter: number, entry: DeliveryEntry, tried: Tried): Result => {
  const { work } = entry
  if (work.kind === 'ipn')
    return again(
      courier,
      jitter,
      entry,
      tried,
      { type: 'ipn.erred', ...answersOf(entry) },
      { type: 'ipn.exhausted', ...answersOf(entry) },
    )
  const given = work.event === 'cancel' ? ({ type: 'cancel.exhausted', ...answersOf(entry) } as const) : null
  return again(courier, jitter, entry, tried, null, given)
}

// The merchant was not called. This uses none of the week's slots and says nothing about the delivery.
const UNCALLED_AGAIN = 10_000
const NOT_CALLED: ReadonlySet<RequestFailure['error']> = new Set(['secrets_unavailable', 'no_socket'])

const undelivered = (courier: Courier, jitter: number, entry: DeliveryEntry, failure: RequestFailure): Result => {
  const error = `${failure.error}: ${failure.message}`
  if (!NOT_CALLED.has(failure.error)) return failedDelivery(courier, jitter, entry, { retryAfterMillis: null, error })
  const retried = againAt(entry, courier.clock.now() + UNCALLED_AGAIN, error)
  return { ...retried, wasCalled: false, hasNoSocket: failure.error === 'no_socket' }
}

// A date may refer to the moved clock or to real time. Uses the shorter wait of those that are not over.
const wishOf = ({ clock, realNow = clock.now }: Courier, header: string | null): number | null => {
  const wishes = [clock.now(), realNow()].map((at) => retryAfterMillis(header, at) ?? 0).filter((wish) => wish > 0)
  return wishes.length === 0 ? null : Math.min(...wishes)
}

const delivered = (courier: Courier, jitter: number, entry: DeliveryEntry, heard: Heard): Result => {
  const { work } = entry
  const erred = () =>
    failedDelivery(courier, jitter, entry, {
      retryAfterMillis: wishOf(courier, heard.retryAfter),
      error: `answered ${heard.status}`,
    })
  if (work.kind === 'ipn') {
    const verdict = judgeIpn(heard.status)
    if (verdict === 'erred') return erred()
    return ended('delivered', { type: verdict === 'accepted' ? 'ipn.accepted' : 'ipn.conflicted', ...answersOf(entry) })
  }
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
