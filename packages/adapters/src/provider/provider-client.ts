// Talks to the provider behind a port: sends one signed request and returns the reply, which is an
// answer or that the provider must be asked again later. Also verifies the provider's callbacks.
// docs/providers.md.
import { hkdfSync } from 'node:crypto'
import {
  type AttemptError,
  type ProviderError,
  type ProviderReply,
  reply,
  retryLater,
} from '@plazo/core/ports'
import { decodeRetryIn, type ProviderPort, parseAnswer } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { createConnections } from '../http/client/connections.ts'
import type { OutboundProxy } from '../http/client/outbound-proxy.ts'
import { type HttpResult, withDeadline } from '../http/client/signed-requests.ts'
import { authenticate, nodeHmac } from '../http/signature.ts'
import { signedHeaders } from '../http/signed-headers.ts'
import { decodeUtf8 } from '../http/utf8.ts'

export type OutgoingRequest = {
  readonly id: string
  readonly body: Readonly<Record<string, unknown>>
  readonly isAwaitedByShopper: boolean
  /** When it was first asked, and now. Domain time, epoch milliseconds. */
  readonly firstAt: number
  readonly at: number
}

export type ProviderClientOptions = {
  /** The operator chooses it, and it may be private: the address guard does not apply. */
  readonly url: string
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

/** Checks and decodes the body of a 200. */
export type Decoder<A> = (body: unknown) => E.Either<readonly string[], A>

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
const retryDelay = ({ firstAt, at }: OutgoingRequest): number =>
  Math.min(RETRY_DELAY_MAX, Math.max(RETRY_DELAY_MIN, at - firstAt))

const parseReply = <A>(
  request: OutgoingRequest,
  answer: HttpResult,
  decode: Decoder<A>,
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
  return pipe(
    status === 200
      ? pipe(decode(json), E.map(reply<A>))
      : pipe(
          decodeRetryIn(json),
          E.map(
            (seconds): ProviderReply<A> =>
              retryLater(seconds === null ? retryDelay(request) : seconds * 1000),
          ),
        ),
    E.mapLeft(invalidReplyError),
  )
}

export const providerClient = (options: ProviderClientOptions) => {
  const { secrets, userAgent, realNow } = options
  const url = new URL(options.url)
  const connections = createConnections({ proxy: options.proxy })
  let inFlight = 0

  const sendRequest = ({
    id,
    body: content,
    isAwaitedByShopper,
  }: OutgoingRequest): Promise<HttpResult> => {
    const body = JSON.stringify(content)
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

  return {
    send:
      <A>(
        request: OutgoingRequest,
        decode: Decoder<A>,
      ): TaskEither<ProviderError, ProviderReply<A>> =>
      async () => {
        if (inFlight >= IN_FLIGHT_MAX) return E.right(retryLater(BUSY_MILLIS))
        inFlight += 1
        try {
          return parseReply(request, await sendRequest(request), decode)
        } finally {
          inFlight -= 1
        }
      },
    close: connections.close,
  }
}

/** Five minutes in either direction, as in Standard Webhooks. */
const REPLAY_WINDOW = 300_000

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
  const rules = {
    signatureHeader: '',
    replayWindowMillis: REPLAY_WINDOW,
    requiresTimestamp: true,
    clock: { now: realNow },
  }
  return text === null
    ? E.left('The body is not UTF-8.')
    : E.map(() => text)(authenticate(rules)(secrets, { headers, bytes, text }))
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
