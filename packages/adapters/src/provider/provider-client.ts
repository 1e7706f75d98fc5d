// Sends one signed request to the provider behind a port and returns its reply: an answer, or that it must be asked again
// later. docs/providers.md.
import { lookup } from 'node:dns'
import {
  decodeLater,
  type ProviderError,
  type ProviderPort,
  type ProviderReply,
  parseAnswer,
  retryLater,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type KeptConnections, keptConnections } from '../http/kept-connections.ts'
import type { Answer } from '../http/read-answer.ts'
import { failureOf } from '../http/request-failure.ts'
import { signStandardWebhook } from '../http/signature.ts'
import type { Question } from './question.ts'

export type ProviderClientOptions = {
  readonly port: ProviderPort
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
  readonly ask: <A>(
    question: Question,
    decode: (body: unknown) => E.Either<readonly string[], A>,
  ) => TaskEither<ProviderError, ProviderReply<A>>
  readonly close: () => void
}

/** How many requests to one port may be in flight on one node. That many can hang without holding up anything else. */
export const IN_FLIGHT_MAX = 32

const TIMEOUT = 30_000
// Opening a session or a payment is tried five times in a minute, so one attempt may not take as long as other requests.
const TIMEOUT_OF_A_SHOPPER = 10_000
const BUSY_MILLIS = 1_000
const PATIENCE_MIN = 10_000
const PATIENCE_MAX = 86_400_000

const failure = (message: string): ProviderError => ({ _tag: 'ProviderError', message })

// Long numbers are removed, so that a wrong answer cannot bring a card or document number into a log.
const wrongAnswer = (sentences: readonly string[]): ProviderError =>
  failure(
    `wrong answer: ${sentences
      .join(' ')
      .replaceAll('Invalid data: ', '')
      .replace(/\d{7,}/g, '…')}`,
  )

const bodyOf = (body: string | null): unknown => (body === null ? undefined : body === '' ? {} : parseAnswer(body))

// If the provider does not say when to ask again: after as much time as has passed since the first request.
const patience = ({ firstAt, at }: Question): number => Math.min(PATIENCE_MAX, Math.max(PATIENCE_MIN, at - firstAt))

const judged = <A>(
  question: Question,
  answer: Answer,
  decode: (body: unknown) => E.Either<readonly string[], A>,
): E.Either<ProviderError, ProviderReply<A>> => {
  if (E.isLeft(answer)) return E.left(failure(`${answer.left.error}: ${answer.left.message}`))
  const { status, body } = answer.right
  if (status !== 200 && status !== 202) return E.left(failure(`answered ${status}, but must be 200 or 202.`))
  const json = bodyOf(body)
  if (json === undefined) return E.left(wrongAnswer(['body is not JSON.']))
  return pipe(
    status === 200
      ? pipe(
          decode(json),
          E.map((given): ProviderReply<A> => ({ type: 'answer', answer: given })),
        )
      : pipe(
          decodeLater(json),
          E.map((seconds): ProviderReply<A> => retryLater(seconds === null ? patience(question) : seconds * 1000)),
        ),
    E.mapLeft(wrongAnswer),
  )
}

export const providerClient = (options: ProviderClientOptions): ProviderClient => {
  const { url: address, secrets, userAgent, realNow } = options
  const url = new URL(address)
  const connections: KeptConnections = keptConnections()
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

  const exchanged = async (question: Question): Promise<Answer> => {
    const deadline = new AbortController()
    const millis = options.timeoutMillis ?? (question.isAwaitedByShopper ? TIMEOUT_OF_A_SHOPPER : TIMEOUT)
    const timer = setTimeout(() => deadline.abort(), millis)
    const body = JSON.stringify(question.body)
    try {
      return await connections.exchange({
        url,
        owner: url.host,
        headers: headersOf(question.id, body),
        body,
        readsBody: true,
        lookup,
        isAllowed: () => true,
        deadline: deadline.signal,
      })
    } catch (thrown) {
      return E.left(failureOf(thrown))
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    ask: (question, decode) => async () => {
      if (inFlight >= IN_FLIGHT_MAX) return E.right(retryLater(BUSY_MILLIS))
      inFlight += 1
      try {
        return judged(question, await exchanged(question), decode)
      } finally {
        inFlight -= 1
      }
    },
    close: connections.close,
  }
}
