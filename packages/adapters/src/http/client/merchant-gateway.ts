// Calls merchants on the caller's event loop. `threaded-gateway.ts` does the same in another
// thread.
import { lookup as systemLookup } from 'node:dns'
import type { WireNames } from '@plazo/core'
import { ATTEMPT_MILLIS, type AttemptRequest, type MerchantGateway } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { systemTimers, type Timers } from '../../system/clock-and-ids.ts'
import { type AddressGuard, createSafeLookup, type LookupAll, portOf } from '../guard/ssrf-guard.ts'
import { sign, signedHeaders } from '../signature.ts'
import { type OnActivity, watchAttempts } from './attempt-activity.ts'
import { type HttpRequest, type HttpResult, withDeadline } from './http-request.ts'
import { createKeepAliveAgents } from './keep-alive-agents.ts'
import { explainedFailure, requestFailure } from './request-failure.ts'

export type SendRequest = (call: HttpRequest) => Promise<HttpResult>

type SignedRequestsOptions = {
  readonly names: WireNames
  readonly guard: Pick<AddressGuard, 'checkUrl' | 'isAllowed'>
  readonly lookup?: LookupAll
  readonly timers?: Pick<Timers, 'after'>
  /** Makes the request instead, if it does not go over a connection. */
  readonly sendRequest?: SendRequest
  /** Observes or changes each signed request and its answer. */
  readonly wrapSend?: (send: SendRequest) => SendRequest
  /**
   * Called when a named attempt begins to wait, and when it is active again. An attempt begins as
   * active.
   */
  readonly onActivity?: OnActivity
  /** The number of connections beyond which none is kept for the next request. Default: 4,000. */
  readonly connectionsMax?: number
}

/** The current one first. */
type LiveSecrets = readonly [current: string, ...former: readonly string[]]

export type MerchantRequest = Parameters<MerchantGateway['post']>[0]

/** `secrets`: the live ones, the current one first. Empty if the merchant is unknown. */
type SigningContext = Pick<MerchantGatewayOptions, 'realNow'> & {
  readonly secrets: TaskEither<unknown, readonly string[]>
}

/**
 * Makes one signed request to a merchant over HTTP. Within one deadline, it returns the answer, or
 * why there is none. Interface §4.4 and §5, contract §6.
 */
export const createSignedRequests = (options: SignedRequestsOptions) => {
  const { names, guard, timers = systemTimers, lookup = systemLookup, connectionsMax } = options
  const connections = createKeepAliveAgents(connectionsMax)
  const watch = options.onActivity && watchAttempts(timers, options.onActivity)
  const { wrapSend = (send) => send } = options
  const send = options.sendRequest ?? connections.send
  const sendRequest = wrapSend((call) => {
    call.onSend?.(call.headers)
    return send(call)
  })

  const attempt = async (
    request: MerchantRequest,
    signing: SigningContext,
    deadline: AbortSignal,
    observers: Pick<HttpRequest, 'onProgress' | 'onSend'>,
  ): Promise<HttpResult> => {
    const refusal = guard.checkUrl(request.url)
    if (refusal !== null) return E.left(explainedFailure('blocked_address', refusal))
    const secrets = await signing.secrets()
    if (E.isLeft(secrets))
      return E.left(requestFailure('secrets_unavailable', 'The secrets could not be read.'))
    const [current, ...former] = secrets.right
    if (current === undefined)
      return E.left(requestFailure('merchant_unknown', 'Merchant not found.'))

    const { userAgent, signatureHeader } = names
    const now = signing.realNow()
    const signMessage = (
      message: MerchantRequest,
      [current, ...former]: LiveSecrets,
    ): HttpRequest => {
      const url = new URL(message.url)
      const signer = { secrets: [current, ...former], userAgent, now }
      return {
        url,
        owner: message.merchantRef,
        headers: {
          ...signedHeaders(message, signer),
          [signatureHeader]: sign(current, message.body),
        },
        body: message.body,
        readsBody: message.readsBody,
        lookup: createSafeLookup(lookup, guard, portOf(url)),
        isAllowed: guard.isAllowed,
        deadline,
        ...observers,
        signAnew: (changes, [other, ...others] = [current, ...former]) =>
          signMessage({ ...message, ...changes }, [other ?? current, ...others]),
      }
    }
    return sendRequest(signMessage(request, [current, ...former]))
  }

  return {
    /**
     * `millis`: real time for everything, from reading the secrets to the last byte of the body.
     */
    sendSigned: async (
      request: MerchantRequest,
      signing: SigningContext,
      millis: number,
    ): Promise<HttpResult> => {
      const watched = watch && request.attempt !== undefined ? watch.begin(request.attempt) : null
      const onProgress = (): void => {
        if (watched !== null) watch?.progress(watched)
      }
      let sent: HttpRequest['headers'] | null = null
      const onSend = (headers: HttpRequest['headers']): void => {
        sent = headers
      }
      const answer = await withDeadline(
        millis,
        (deadline) => attempt(request, signing, deadline, { onProgress, onSend }),
        timers,
      )
      if (watched !== null) watch?.end(watched)
      return sent === null ? answer : withSent(answer, signaturesIn(sent, names.signatureHeader))
    },
    /** Closes all connections, including those with requests in flight. */
    close: connections.close,
  }
}

type Sent = NonNullable<AttemptRequest['sent']>

const signaturesIn = (headers: HttpRequest['headers'], signatureHeader: string): Sent => ({
  timestamp: headers['Webhook-Timestamp'] ?? '',
  signatures: Object.fromEntries(
    [signatureHeader, 'Webhook-Signature'].map((name) => [name, headers[name] ?? '']),
  ),
})

const withSent = (answer: HttpResult, sent: Sent): HttpResult =>
  E.isLeft(answer) ? E.left({ ...answer.left, sent }) : E.right({ ...answer.right, sent })

export type MerchantGatewayOptions = SignedRequestsOptions & {
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

export const merchantGateway = (options: MerchantGatewayOptions): ClosableMerchantGateway => {
  const { secretsOf, realNow, timeoutMillis = ATTEMPT_MILLIS } = options
  const { sendSigned, close } = createSignedRequests(options)
  return {
    post: (request) => () =>
      sendSigned(
        request,
        { secrets: () => secretsOf(request.merchantRef)(), realNow },
        timeoutMillis,
      ),
    close,
  }
}
