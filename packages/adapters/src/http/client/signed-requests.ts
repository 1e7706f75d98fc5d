// Signs a request to a merchant and sends it within one deadline. How it is sent is up to a gateway:
// over connections of Node, or by `fetch`.
import {
  ATTEMPT_MILLIS,
  type CheckUrl,
  type HttpResponse,
  type MerchantGateway,
  type ReadsBody,
  type RequestFailure,
  type WireNames,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../../system/clock-and-ids.ts'
import { type Hmac, signedHeaders } from '../signed-headers.ts'
import { type OnActivity, watchAttempt } from './attempt-activity.ts'
import { explainedFailure, requestFailure, toRequestFailure } from './request-failure.ts'

/** The answer with any status, or why there is none. */
export type HttpResult = E.Either<RequestFailure, HttpResponse>

/** One POST to another service. `body` is sent as UTF-8, byte by byte as it was signed. */
export type HttpRequest = {
  readonly url: URL
  /** The owner of the connection. One owner's connections are never used for another owner. */
  readonly owner: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly readsBody: ReadsBody
  /** Aborted when the time is up. */
  readonly deadline: AbortSignal
  /** Called when the request is sent, and when its answer begins. */
  readonly onProgress?: () => void
}

/** Gives an exchange so many real milliseconds. An error that it throws becomes a failure. */
export const withDeadline = async (
  millis: number,
  exchange: (deadline: AbortSignal) => Promise<HttpResult>,
  { after }: Pick<Timers, 'after'> = systemTimers,
): Promise<HttpResult> => {
  // Node's timers run on the monotonic clock, so setting the machine's clock neither ends nor
  // extends an exchange.
  const deadline = new AbortController()
  const timer = after(millis, () => deadline.abort())
  try {
    return await exchange(deadline.signal)
  } catch (thrown) {
    return E.left(toRequestFailure(thrown))
  } finally {
    timer.cancel()
  }
}

/** Sends one request and waits for its answer. It never rejects. */
export type SendRequest = (call: HttpRequest) => Promise<HttpResult>

export type SignedRequestsOptions = {
  readonly names: WireNames
  readonly guard: { readonly checkUrl: CheckUrl }
  readonly timers?: Pick<Timers, 'after' | 'monotonicNow'>
  /** Makes the request instead, if it does not go over a connection. */
  readonly sendRequest?: SendRequest
  /**
   * Called when a named attempt begins to wait, and when it is active again. An attempt begins as
   * active.
   */
  readonly onActivity?: OnActivity
}

/** A request with what it is signed with, and the milliseconds that it may take. */
export type SignedPost = {
  readonly request: Parameters<MerchantGateway['post']>[0]
  /** The merchant's live secrets, the current one first. Empty if the merchant is unknown. */
  readonly secrets: readonly string[]
  readonly now: number
  readonly millisLeft: number
}

/** Signs a request and sends it. It never rejects. */
type SendSigned = (post: SignedPost) => Promise<HttpResult>

/**
 * Makes one signed request to a merchant over HTTP. Within one deadline, it returns the answer, or
 * why there is none. Interface §4.4 and §5, contract §6.
 */
export const createSignedRequests = (
  options: SignedRequestsOptions,
  sendOverConnections: SendRequest,
  hmac: Hmac,
): SendSigned => {
  const { names, guard, timers = systemTimers, onActivity } = options
  const { userAgent, signatureHeader } = names
  const send = options.sendRequest ?? sendOverConnections

  const attempt = async (
    { request, secrets, now }: SignedPost,
    deadline: AbortSignal,
    onProgress: () => void,
  ): Promise<HttpResult> => {
    const refusal = guard.checkUrl(request.url)
    if (refusal !== null) return E.left(explainedFailure('blocked_address', refusal))
    const [secret] = secrets
    if (secret === undefined)
      return E.left(requestFailure('merchant_unknown', 'Merchant not found.'))
    const live = request.isForged
      ? [(await hmac(secret, 'another secret', 'hex')).slice(0, secret.length)]
      : secrets
    const [current = secret] = live
    const signed = await signedHeaders(request, { secrets: live, userAgent, now, hmac })
    const signature = await hmac(current, request.body, 'hex')
    const answer = await send({
      url: new URL(request.url),
      owner: request.merchantRef,
      headers: { ...signed, [signatureHeader]: signature },
      body: request.body,
      readsBody: request.readsBody,
      deadline,
      onProgress,
    })
    const sent = {
      timestamp: signed['Webhook-Timestamp'],
      signatures: {
        [signatureHeader]: signature,
        'Webhook-Signature': signed['Webhook-Signature'],
      },
    }
    return E.isLeft(answer) ? E.left({ ...answer.left, sent }) : E.right({ ...answer.right, sent })
  }

  return async (post) => {
    const { attempt: id } = post.request
    const watched = id !== undefined && onActivity ? watchAttempt(timers, onActivity, id) : null
    const answer = await withDeadline(
      post.millisLeft,
      (deadline) => attempt(post, deadline, () => watched?.progress()),
      timers,
    )
    watched?.end()
    return answer
  }
}

/** What every gateway needs to sign requests to merchants, however it sends them. */
export type SignedGatewayOptions = SignedRequestsOptions & {
  /**
   * A merchant's live secrets, the current one first. Empty if the merchant is unknown. Left: they
   * could not be read.
   */
  readonly secretsOf: (merchantRef: string) => TaskEither<unknown, readonly string[]>
  /**
   * Real time, epoch milliseconds, for `Webhook-Timestamp`: receivers compare it with their own
   * clocks.
   */
  readonly realNow: () => number
  /**
   * Real milliseconds for one whole attempt, from DNS to the last byte of the body. Default: 30 s.
   */
  readonly timeoutMillis?: number
}

/** `close` closes all connections, including those with requests in flight. */
export type ClosableMerchantGateway = MerchantGateway & { readonly close: () => void }

/** A gateway that sends its requests in this way. */
export const signedGateway = (
  options: Pick<SignedGatewayOptions, 'secretsOf' | 'realNow' | 'timeoutMillis' | 'timers'>,
  send: SendSigned,
  close: () => void,
): ClosableMerchantGateway => {
  const { secretsOf, realNow, timeoutMillis = ATTEMPT_MILLIS, timers = systemTimers } = options
  return {
    post: (request) => async () => {
      const startedAt = timers.monotonicNow()
      const secrets = await secretsOf(request.merchantRef)()
      if (E.isLeft(secrets))
        return E.left(requestFailure('secrets_unavailable', 'The secrets could not be read.'))
      const millisLeft = timeoutMillis - (timers.monotonicNow() - startedAt)
      return send({ request, secrets: secrets.right, now: realNow(), millisLeft })
    },
    close,
  }
}
