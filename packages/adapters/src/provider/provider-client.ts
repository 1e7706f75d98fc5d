// Sends one signed request to the provider behind a port and returns its reply: an answer, or that it must be asked again
// later. docs/providers.md.
import { lookup } from 'node:dns'
import {
  type AttemptError,
  decodeRetryIn,
  type ProviderError,
  type ProviderReply,
  parseAnswer,
  reply,
  retryLater,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { HttpResult } from '../http/client/http-request.ts'
import { createKeepAliveAgents } from '../http/client/keep-alive-agents.ts'
import { toRequestFailure } from '../http/client/request-failure.ts'
import { signStandardWebhook } from '../http/signature.ts'
import type { OutgoingRequest } from './provider-request.ts'

export type ProviderClientOptions = {
  /** The operator chooses it, and it may be private: the address guard does not apply. */
  readonly url: string
  /** One for each live key, the current one first. */
  readonly secrets: readonly string[]
  readonly userAgent: string
  /** Real time, epoch milliseconds, for `Webhook-Timestamp`. */
  readonly realNow: () => number
  /** Real milliseconds for one whole request. Default: 30 s, or 10 s if a shopper waits. */
  readonly timeoutMillis?: number
}

type ProviderClient = {
  /** `decode` checks and decodes the body of a 200. */
  readonly send: <A>(
    request: OutgoingRequest,
    decode: (body: unknown) => E.Either<readonly string[], A>,
  ) => TaskEither<ProviderError, ProviderReply<A>>
  readonly close: () => void
}

/** How many requests to one port may be in flight on one node. That many can hang without holding up anything else. */
export const IN_FLIGHT_MAX = 32

const TIMEOUT = 30_000
// Opening a session or a payment is tried five times in a minute, so one attempt may not take as long as other requests.
const SHOPPER_TIMEOUT = 10_000
const BUSY_MILLIS = 1_000
const RETRY_DELAY_MIN = 10_000
const RETRY_DELAY_MAX = 86_400_000

const providerError = (error: AttemptError): ProviderError => ({ _tag: 'ProviderError', ...error })

// Long numbers are removed, so that a wrong answer cannot bring a card or document number into a host's log.
const invalidReplyError = (sentences: readonly string[]): ProviderError => {
  const message = sentences.join(' ').replaceAll('Invalid data: ', '')
  const [member = ''] = message.split(' is ', 1)
  return providerError({
    reason: 'wrong_answer',
    member,
    message: `wrong answer: ${message.replace(/\d{7,}/g, '…')}`,
  })
}

const parseBody = (body: string | null): unknown => (body === null ? undefined : body === '' ? {} : parseAnswer(body))

// If the provider does not say when to ask again: after as much time as has passed since the first request.
const retryDelay = ({ firstAt, at }: OutgoingRequest): number =>
  Math.min(RETRY_DELAY_MAX, Math.max(RETRY_DELAY_MIN, at - firstAt))

const parseReply = <A>(
  request: OutgoingRequest,
  answer: HttpResult,
  decode: (body: unknown) => E.Either<readonly string[], A>,
): E.Either<ProviderError, ProviderReply<A>> => {
  if (E.isLeft(answer)) return E.left(providerError({ reason: answer.left.error, message: answer.left.message }))
  const { status, body } = answer.right
  if (status !== 200 && status !== 202)
    return E.left(providerError({ reason: 'answered', status, message: `answered ${status}, but must be 200 or 202.` }))
  const json = parseBody(body)
  if (json === undefined) return E.left(invalidReplyError(['body is not JSON.']))
  return pipe(
    status === 200
      ? pipe(decode(json), E.map(reply<A>))
      : pipe(
          decodeRetryIn(json),
          E.map((seconds): ProviderReply<A> => retryLater(seconds === null ? retryDelay(request) : seconds * 1000)),
        ),
    E.mapLeft(invalidReplyError),
  )
}

export const providerClient = (options: ProviderClientOptions): ProviderClient => {
  const { url: address, secrets, userAgent, realNow } = options
  const url = new URL(address)
  const connections = createKeepAliveAgents()
  let inFlight = 0

  const headersOf = (id: string, body: string) => {
    const timestamp = Math.floor(realNow() / 1000)
    return {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
      Accept: 'application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': userAgent,
      'Idempotency-Key': id,
      'Webhook-Id': id,
      'Webhook-Timestamp': String(timestamp),
      'Webhook-Signature': signStandardWebhook(secrets, { id, timestamp, body }),
    }
  }

  const sendRequest = async (request: OutgoingRequest): Promise<HttpResult> => {
    const deadline = new AbortController()
    const millis = options.timeoutMillis ?? (request.isAwaitedByShopper ? SHOPPER_TIMEOUT : TIMEOUT)
    const timer = setTimeout(() => deadline.abort(), millis)
    const body = JSON.stringify(request.body)
    try {
      return await connections.send({
        url,
        owner: url.host,
        headers: headersOf(request.id, body),
        body,
        readsBody: true,
        lookup,
        isAllowed: () => true,
        deadline: deadline.signal,
      })
    } catch (thrown) {
      return E.left(toRequestFailure(thrown))
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    send: (request, decode) => async () => {
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
