// A merchant's endpoint for events and IPN, as one function from Request to Response. Interface §4.4, §5, §6.
import { type Clock, type WireNames, wireNames } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { utf8 } from '../http/utf8.ts'
import { systemClock } from '../system/clock.ts'
import { type Answered, type AnswerMemory, answersInMemory } from './answer-memory.ts'
import { answerOnce } from './answer-once.ts'
import { errorAnswer, responseOf } from './answers.ts'
import { authenticate } from './authenticity.ts'
import { handling, type MerchantHandlers } from './handlers.ts'
import { type BodyError, readBody } from './read-body.ts'
import { type ReadError, readWebhook } from './webhook.ts'

export type MerchantReceiverOptions = {
  /** Every `signature_secret` that may have signed; two while one is being rotated. A function is asked each time. */
  readonly secrets: readonly string[] | (() => readonly string[] | Promise<readonly string[]>)
  readonly on: MerchantHandlers
  /** As the service is set up; its defaults unless given. */
  readonly names?: Pick<WireNames, 'signatureHeader' | 'ipnStateParameter'>
  /**
   * Refuses what comes without `Webhook-Id`, `-Timestamp` and `-Signature`, which plazo always sends: whoever repeats a
   * request he has seen could else leave them out. False unless given, as the interface itself knows only its own header.
   */
  readonly requiresTimestamp?: boolean
  /** Milliseconds that `Webhook-Timestamp` may be from now, either way; 5 minutes unless given. */
  readonly replayWindowMillis?: number
  readonly clock?: Clock
  /** The last 10,000 answers in this process, unless given. */
  readonly memory?: AnswerMemory
  /** A larger body is answered 413; 4 MiB unless given, more than a form of 1 MiB of parameters can take. */
  readonly maxBytes?: number
  /** Told what a handler, the memory or `secrets` threw; `console.error` unless given. */
  readonly onError?: (error: unknown, request: Request) => void
}

const MINUTE = 60_000
const MIB = 1024 * 1024

/** Throws a `RangeError` where no secret, or an empty one, is given: anybody could sign with it. */
export const merchantReceiver = (options: MerchantReceiverOptions): ((request: Request) => Promise<Response>) => {
  const { secrets, on, names = wireNames('Service', 'sq_state'), maxBytes = 4 * MIB } = options
  const { onError = (error) => console.error(error) } = options
  const authentic = authenticate({
    signatureHeader: names.signatureHeader,
    replayWindowMillis: options.replayWindowMillis ?? 5 * MINUTE,
    requiresTimestamp: options.requiresTimestamp ?? false,
    clock: options.clock ?? systemClock,
  })
  const once = answerOnce(options.memory ?? answersInMemory())
  if (typeof secrets !== 'function' && secrets.length === 0) throw new RangeError('A receiver needs a secret.')
  if (typeof secrets !== 'function') refuseEmpty(secrets)

  const receive = async (request: Request): Promise<Answered> => {
    if (request.method !== 'POST') return errorAnswer(405, 'Only POST is taken here.')
    const body = await readBody(request, maxBytes)
    if (E.isLeft(body)) return bodyRefusal(body.left)
    const text = utf8(body.right)

    const live = typeof secrets === 'function' ? refuseEmpty(await secrets()) : secrets
    const webhookId = authentic(live, { headers: request.headers, bytes: body.right, text })
    if (E.isLeft(webhookId)) return errorAnswer(401, webhookId.left)

    if (text === null) return errorAnswer(400, 'The body is not UTF-8.')
    const webhook = readWebhook(request.headers.get('content-type'), text, names.ipnStateParameter)
    if (E.isLeft(webhook)) return readRefusal(webhook.left)
    const handle = handling(on, webhook.right)
    // Not remembered: once the shop has a handler, it is to be called.
    if (handle === undefined) return unknownEvent(webhook.right.event)
    return webhookId.right === null ? handle() : once(webhookId.right, handle, (error) => onError(error, request))
  }

  return async (request) => {
    try {
      return responseOf(await receive(request))
    } catch (error) {
      onError(error, request)
      return responseOf(errorAnswer(500, 'Something went wrong here; ask again.'))
    }
  }
}

const refuseEmpty = (secrets: readonly string[]): readonly string[] => {
  if (secrets.includes('')) throw new RangeError('A secret is empty: anybody could sign with it.')
  return secrets
}

const unknownEvent = (event: string): Answered => errorAnswer(501, `Unknown event: ${event}`)

const readRefusal = (error: ReadError): Answered =>
  error._tag === 'UnknownEvent' ? unknownEvent(error.event) : errorAnswer(400, error.detail)

const bodyRefusal = (error: BodyError): Answered =>
  error._tag === 'BodyTooLarge'
    ? errorAnswer(413, 'The body is larger than is taken here.')
    : errorAnswer(400, 'The body ended before it was complete.')
