// Makes one attempt of a delivery: sends the request, derives the order's event from the answer,
// and reports the attempt.
import * as E from 'fp-ts/lib/Either.js'
import type * as T from 'fp-ts/lib/Task.js'
import {
  ACCEPTED_STATUSES,
  type AttemptError,
  classifyCancelResponse,
  classifyIpnResponse,
  type HttpResponse,
  type Report,
  redirectDetail,
  rejectionReason,
  statusesThatNeedBody,
  truncateResponse,
} from '../../delivery/attempt.ts'
import { parseRetryAfter } from '../../delivery/schedule.ts'
import type { EffectPayload } from '../../order/effects/effect.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { Job } from '../../ports/job-queue.ts'
import type { MerchantGateway, RequestFailure } from '../../ports/merchant-gateway.ts'
import {
  type AttemptScope,
  catchThrown,
  type EffectResult,
  finish,
  retry,
  retryAt,
} from './complete-job.ts'

/** What an attempt of a delivery needs: the way to the merchant, and the time. */
export type WebhookSender = {
  readonly gateway: MerchantGateway
  readonly clock: Clock
  /**
   * Real time in epoch milliseconds, if `clock` may have been moved. Merchants' clocks show real
   * time.
   */
  readonly realNow?: () => number
}

/** The effects that are sent to a merchant. */
export type DeliveryPayload = Extract<EffectPayload, { readonly kind: 'event' | 'ipn' }>
type DeliveryJob = Job & { readonly payload: DeliveryPayload }
type DeliveryScope = AttemptScope & Pick<WebhookSender, 'realNow'> & { readonly job: DeliveryJob }

const GATEWAY_THREW: RequestFailure = {
  _tag: 'RequestFailure',
  error: 'protocol_error',
  message: 'The gateway threw an error.',
}

const bodyStatusesOf = ({ payload }: DeliveryJob): readonly number[] =>
  payload.kind === 'event' ? statusesThatNeedBody(payload.event) : []

/**
 * `readsBody`: true reads the whole body even if the status line decides, so that the answer can be
 * shown.
 */
export const deliver =
  (
    { gateway, ...sender }: WebhookSender,
    jitter: number,
    job: DeliveryJob,
    readsBody: true | readonly number[] = bodyStatusesOf(job),
  ): T.Task<EffectResult & { readonly report: Report }> =>
  async () => {
    const { clock } = sender
    const scope = { ...sender, jitter, job }
    const { url, contentType, body } = job.payload
    const request = {
      id: job.key,
      merchantRef: job.merchantRef,
      url,
      contentType,
      body,
      readsBody,
      attempt: job.token,
    }
    const startedAt = clock.now()
    const answer = await catchThrown(() => gateway.post(request), GATEWAY_THREW)()
    const durationMillis = clock.now() - startedAt
    if (E.isLeft(answer)) {
      const { error, reason, status = null, sent, thrown } = answer.left
      const report = {
        durationMillis,
        status,
        error,
        ...(reason && { errorReason: reason }),
        request: { url, ...(sent && { sent }) },
        response: null,
      }
      return { ...resultOfFailure(scope, answer.left), thrown, report }
    }
    const { right: response } = answer
    const result = resultOfResponse(scope, response)
    const error = result.error === null ? null : rejectionReason(response, bodyStatusesOf(job))
    const errorReason = error === null ? undefined : redirectDetail(response, url)
    const report: Report = {
      durationMillis,
      status: response.status,
      error,
      ...(errorReason !== undefined && { errorReason }),
      request: { url, ...(response.sent && { sent: response.sent }) },
      response: truncateResponse(response.body),
    }
    return { ...result, report }
  }

// The merchant was not called. This uses none of the week's slots and says nothing about the
// delivery.
const NOT_CALLED_RETRY_DELAY = 10_000
const NOT_CALLED: ReadonlySet<RequestFailure['error']> = new Set([
  'secrets_unavailable',
  'no_socket',
])

const resultOfFailure = (scope: DeliveryScope, failure: RequestFailure): EffectResult => {
  const error: AttemptError = { reason: failure.error, message: failure.message }
  if (!NOT_CALLED.has(failure.error)) return retry(scope, { retryAfterMillis: null, error })
  const retryResult = retryAt(scope.job, scope.clock.now() + NOT_CALLED_RETRY_DELAY, error)
  return { ...retryResult, hasNoSocket: failure.error === 'no_socket' }
}

// A date may refer to the moved clock or to real time. Uses the shorter wait of those that are not
// over.
const requestedWait = (
  { clock, realNow = clock.now }: DeliveryScope,
  header: string | null,
): number | null => {
  const waits = [clock.now(), realNow()]
    .map((at) => parseRetryAfter(header, at) ?? 0)
    .filter((wait) => wait > 0)
  return waits.length === 0 ? null : Math.min(...waits)
}

const resultOfResponse = (scope: DeliveryScope, response: HttpResponse): EffectResult => {
  const { payload, key: inReplyTo } = scope.job
  const retryOrExhaust = () =>
    retry(scope, {
      retryAfterMillis: requestedWait(scope, response.retryAfter),
      error: {
        reason: 'answered',
        status: response.status,
        message: `answered ${response.status}`,
      },
    })
  if (payload.kind === 'ipn') {
    const verdict = classifyIpnResponse(response.status)
    if (verdict === 'erred') return retryOrExhaust()
    return finish('delivered', {
      type: verdict === 'accepted' ? 'ipn.accepted' : 'ipn.conflicted',
      inReplyTo,
    })
  }
  if (payload.event !== 'cancel')
    return ACCEPTED_STATUSES[payload.event].includes(response.status)
      ? finish('delivered', null)
      : retryOrExhaust()
  const answer = classifyCancelResponse(response)
  switch (answer.result) {
    case 'erred':
      return retryOrExhaust()
    case 'cancelled':
      return finish('delivered', { type: 'cancel.agreed', inReplyTo })
    case 'toolate':
      return finish('delivered', {
        type: 'cancel.refused',
        inReplyTo,
        lateByMinutes: answer.lateByMinutes,
      })
    case 'retry':
      return finish('delivered', {
        type: 'cancel.deferred',
        inReplyTo,
        retryInMinutes: answer.retryInMinutes,
      })
    case 'unsupported':
      return finish('unsupported', { type: 'cancel.unsupported', inReplyTo })
  }
}
