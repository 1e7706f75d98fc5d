// Talks to the provider behind a port: sends one signed request and returns the reply, which is an
// answer or that the provider must be asked again later. Also verifies the provider's callbacks.
// docs/providers.md.
import { hkdfSync } from 'node:crypto'
import {
  type AttemptError,
  type Decode,
  decodeRetryIn,
  type ProviderError,
  type ProviderPort,
  type ProviderReply,
  parseAnswer,
  reply,
  retryLater,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createConnections } from '../http/client/connections.ts'
import type { OutboundProxy } from '../http/client/outbound-proxy.ts'
import { type HttpResult, withDeadline } from '../http/client/signed-requests.ts'
import { authenticateWebhook, nodeHmac } from '../http/signature.ts'
import { signedHeaders } from '../http/signed-headers.ts'
import { decodeUtf8 } from '../http/utf8.ts'
import { type AnyProviderRequest, requestBody } from './provider-request.ts'

/** How the provider behind a port is called. */
export type RemoteOptions = {
  /** The operator chooses it, and it may be private: the address guard does not apply. */
  readonly url: string
  /** The URL at which the provider reports the port's answers later. */
  readonly callbackUrl: string
  /** One for each live key, the current one first. */
  readonly secrets: readonly string[]
  readonly userAgent: string
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`. */
  readonly realNow: () => number
  /** The proxy through which it is called. Default: none. */
  readonly proxy?: OutboundProxy | null | undefined
  /** Real milliseconds for one whole request. Default: 30 s, or 10 s if a shopper waits. */
  readonly timeoutMillis?: number
}

/**
 * How many requests to one port may be in flight on one node. That many can hang without holding up
 * anything else.
 */
export const IN_FLIGHT_MAX = 32

const TIMEOUT = 30_000
// Opening a session or a payment is tried five times in a minute, so one attempt may not take as
// long as other requests.
const SHOPPER_TIMEOUT = 10_000
const BUSY_MILLIS = 1_000
const RETRY_DELAY_MIN = 10_000
const RETRY_DELAY_MAX = 86_400_000

const providerError = (error: AttemptError): ProviderError => ({ _tag: 'ProviderError', ...error })

// Long numbers are removed, so that a wrong answer cannot bring a card or document number into a
// host's log.
const invalidReplyError = (sentences: readonly string[]): ProviderError => {
  const message = sentences.join(' ').replaceAll('Invalid data: ', '')
  const [member = ''] = message.split(' is ', 1)
  return providerError({
    reason: 'wrong_answer',
    member,
    message: `wrong answer: ${message.replace(/\d{7,}/g, '…')}`,
  })
}

const parseBody = (body: string | null): unknown =>
  body === null ? undefined : body === '' ? {} : parseAnswer(body)

// If the provider does not say when to ask again: after as much time as has passed since the first
// request.
const retryDelay = ({ firstAt, at }: AnyProviderRequest): number =>
  Math.min(RETRY_DELAY_MAX, Math.max(RETRY_DELAY_MIN, at - firstAt))

const parseReply = <A>(
  request: AnyProviderRequest,
  answer: HttpResult,
  decode: Decode<A>,
): E.Either<ProviderError, ProviderReply<A>> => {
  if (E.isLeft(answer))
    return E.left(providerError({ reason: answer.left.error, message: answer.left.message }))
  const { status, body } = answer.right
  if (status !== 200 && status !== 202)
    return E.left(
      providerError({
        reason: 'answered',
        status,
        message: `answered ${status}, but must be 200 or 202.`,
      }),
    )
  const json = parseBody(body)
  if (json === undefined) return E.left(invalidReplyError(['body is not JSON.']))
  const decoded =
    status === 200
      ? E.map(reply<A>)(decode(json))
      : E.map((seconds: number | null) =>
          retryLater(seconds === null ? retryDelay(request) : seconds * 1000),
        )(decodeRetryIn(json))
  return E.mapLeft(invalidReplyError)(decoded)
}

/** `ask` makes the function that asks the provider and decodes its answer. */
export const providerClient = (port: ProviderPort, options: RemoteOptions) => {
  const { secrets, userAgent, realNow } = options
  const url = new URL(options.url)
  const connections = createConnections({ proxy: options.proxy })
  let inFlight = 0

  const sendRequest = (request: AnyProviderRequest): Promise<HttpResult> => {
    const { key: id, payload } = request
    const body = requestBody(request, port, options.callbackUrl)
    const isAwaitedByShopper = payload.kind === 'session' || payload.kind === 'payment'
    const millis = options.timeoutMillis ?? (isAwaitedByShopper ? SHOPPER_TIMEOUT : TIMEOUT)
    return withDeadline(millis, async (deadline) => {
      const signed = await signedHeaders(
        { id, contentType: 'application/json', body },
        { secrets, userAgent, now: realNow(), hmac: nodeHmac },
      )
      return connections.send({
        url,
        owner: url.host,
        headers: { ...signed, 'Idempotency-Key': id },
        body,
        readsBody: true,
        deadline,
      })
    })
  }

  const ask =
    <A>(decode: Decode<A>) =>
    (request: AnyProviderRequest): TaskEither<ProviderError, ProviderReply<A>> =>
    async () => {
      if (inFlight >= IN_FLIGHT_MAX) return E.right(retryLater(BUSY_MILLIS))
      inFlight += 1
      try {
        return parseReply(request, await sendRequest(request), decode)
      } finally {
        inFlight -= 1
      }
    }

  return { ask, close: connections.close }
}

/**
 * A callback as it arrived. The signature covers `bytes`, so they must not be parsed and written
 * again.
 */
export type ReceivedCallback = { readonly headers: Headers; readonly bytes: Uint8Array }

/**
 * Returns the body's text. Left: what is wrong. `realNow` is real time, because a provider knows no
 * other.
 */
export const verifyCallback = (
  secrets: readonly string[],
  realNow: () => number,
  { headers, bytes }: ReceivedCallback,
): E.Either<string, string> => {
  const text = decodeUtf8(bytes)
  return E.map(() => text ?? '')(authenticateWebhook(secrets, headers, text, realNow()))
}

/**
 * The secrets that the provider of a port and plazo sign with. They are derived from SECRET_KEY, so
 * that nothing more has to be stored: one secret of 64 hex digits for each of its keys, in the same
 * order.
 */
export const derivePortSecrets = (
  keys: readonly Uint8Array[],
  port: ProviderPort,
): readonly string[] =>
  keys.map((key) =>
    Buffer.from(hkdfSync('sha256', key, '', `plazo provider ${port}`, 32)).toString('hex'),
  )
