// A merchant's endpoint for events and IPN, as one function from Request to Response. A repeated
// request gets the first answer, and a handler that failed is called again. Interface §4.4, §5, §6.
import { type WireNames, wireNames } from '@plazo/core'
import type { Clock } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { authenticateBody, authenticateWebhook, WRONG_SIGNATURE } from '../http/signature.ts'
import { decodeUtf8 } from '../http/utf8.ts'
import { systemClock } from '../system/clock-and-ids.ts'
import {
  errorResponse,
  handlerFor,
  type MerchantHandlers,
  type ReceiverResponse,
  toResponse,
} from './handlers.ts'
import { readWebhook, unknownEvent } from './webhook.ts'

const BODY_TOO_LARGE = errorResponse(413, 'The body is too large.')

/**
 * Reads a body as the bytes that were signed, and stops beyond the accepted size. Throws if the host has already read the body:
 * its bytes are gone, so no signature can be checked.
 */
const readBody = async (
  request: Request,
  maxBytes: number,
): Promise<E.Either<ReceiverResponse, Uint8Array>> => {
  if (request.bodyUsed)
    throw new TypeError('The body was already read. Pass the raw request to the receiver.')
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    // To cancel the body would close the connection that the answer must use.
    for await (const chunk of request.body?.values({ preventCancel: true }) ?? []) {
      size += chunk.length
      if (size > maxBytes) return E.left(BODY_TOO_LARGE)
      chunks.push(chunk)
    }
    return E.right(Buffer.concat(chunks))
  } catch {
    return E.left(errorResponse(400, 'The body ended before it was complete.'))
  }
}

/** The secrets and handlers of a shop, and how strictly requests are judged. */
export type MerchantReceiverOptions = {
  /**
   * Every `signature_secret` that may have signed: two during a rotation. A function is called for
   * every request.
   */
  readonly secrets: readonly string[] | (() => readonly string[] | Promise<readonly string[]>)
  readonly on: MerchantHandlers
  /** The names that the service is configured with. Default: the service's defaults. */
  readonly names?: Pick<WireNames, 'signatureHeader' | 'ipnStateParameter'>
  /**
   * Refuses requests without `Webhook-Id`, `-Timestamp` and `-Signature`, which plazo always sends.
   * Otherwise an attacker who replays a request could leave them out. Default: false, because the
   * interface itself knows only its own header.
   */
  readonly requiresTimestamp?: boolean
  readonly clock?: Clock
  /** Default: the last 10,000 answers, in this process. */
  readonly idempotencyStore?: IdempotencyStore
  /**
   * A larger body is answered with 413. Default: 4 MiB, more than a form with 1 MiB of parameters
   * can take.
   */
  readonly maxBytes?: number
  /** Called with the sentence of an answer with 400, 401 or 501. */
  readonly onRefused?: (reason: string, request: Request) => void
  /** Called with what a handler, the memory or `secrets` threw. Default: `console.error`. */
  readonly onError?: (error: unknown, request: Request) => void
}

const WEBHOOK_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
const MIB = 1024 * 1024

/**
 * Throws a `RangeError` if there is no secret, or if one of them is not 32 hex digits. Blanks
 * around a secret do not count.
 */
export const merchantReceiver = (
  options: MerchantReceiverOptions,
): ((request: Request) => Promise<Response>) => {
  const { secrets, on, names = wireNames('Service', 'sq_state'), maxBytes = 4 * MIB } = options
  const { clock = systemClock, onRefused, onError = (error) => console.error(error) } = options
  const respondOnce = createRespondOnce(options.idempotencyStore ?? inMemoryIdempotencyStore())
  if (typeof secrets !== 'function' && readSecrets(secrets).length === 0)
    throw new RangeError('The receiver has no secret. Give it at least one.')

  const authenticate = (
    live: readonly string[],
    headers: Headers,
    bytes: Uint8Array,
  ): E.Either<string, string | null> => {
    // Standard Webhooks' headers cover everything that the interface's signature covers. On the day
    // of a rotation, only they also carry the signature of the former secret.
    if (options.requiresTimestamp || WEBHOOK_HEADERS.some((name) => headers.has(name)))
      return authenticateWebhook(live, headers, decodeUtf8(bytes), clock.now())
    const signature = headers.get(names.signatureHeader)
    return signature === null
      ? E.left(`The header ${names.signatureHeader} is missing. \`names\` decides its name.`)
      : authenticateBody(live, signature, bytes)
  }

  const receive = async (request: Request): Promise<ReceiverResponse> => {
    const refuse = (status: number, reason: string): ReceiverResponse => {
      onRefused?.(reason, request)
      return errorResponse(status, reason)
    }
    const { method, headers } = request
    if (method !== 'POST') return errorResponse(405, 'Only POST is accepted.')
    const body = await readBody(request, maxBytes)
    if (E.isLeft(body)) return body.left

    const live = readSecrets(typeof secrets === 'function' ? await secrets() : secrets)
    const webhookId = authenticate(live, headers, body.right)
    if (E.isLeft(webhookId)) {
      const isWrong = webhookId.left === WRONG_SIGNATURE
      return refuse(401, isWrong ? explainWrongSignature(headers, body.right) : webhookId.left)
    }

    const text = decodeUtf8(body.right)
    if (text === null) return refuse(400, 'The body is not UTF-8.')
    const webhook = readWebhook(headers.get('content-type'), text, names.ipnStateParameter)
    if (E.isLeft(webhook)) return refuse(webhook.left.status, webhook.left.detail)
    const handle = handlerFor(on, webhook.right)
    // This answer is not stored: once the shop has a handler, the handler must be called.
    if (handle === undefined) return refuse(501, unknownEvent(webhook.right.event))
    return webhookId.right === null
      ? handle()
      : respondOnce(webhookId.right, handle, (error) => onError(error, request))
  }

  return async (request) => {
    try {
      return toResponse(await receive(request))
    } catch (error) {
      onError(error, request)
      return toResponse(errorResponse(500, 'Internal error. Try again.'))
    }
  }
}

/** A parser that reads a body and writes it again leaves another length, or a form that is JSON. */
const explainWrongSignature = (headers: Headers, body: Uint8Array): string => {
  const length = headers.get('content-length') ?? body.length
  const isJson = body[0] === 123 // {
  const isSentAsJson = headers.get('content-type')?.includes('json') === true
  return Number(length) !== body.length || isJson !== isSentAsJson
    ? 'The body is not the one that was signed. Pass the raw request to the receiver, before any parser.'
    : 'The signature was made with none of the secrets, or the body has changed since.'
}

/** Blanks and line breaks around a secret come from a file, or from a list in the environment. */
const readSecrets = (secrets: readonly string[]): readonly string[] =>
  (secrets ?? []).map((secret, index) => {
    const trimmed = String(secret).trim()
    if (/^[0-9a-f]{32}$/i.test(trimmed)) return trimmed
    throw new RangeError(
      `secrets[${index}] must be the merchant's signature_secret: 32 hex digits (got a text of ${trimmed.length} characters).`,
    )
  })

/**
 * The port through which a receiver stores its answers, so that a repeated request gets the same
 * answer. Shared by all processes that receive for one merchant. The ids of different services
 * never collide.
 */
export type IdempotencyStore = {
  /** The stored answer to the request with this `Webhook-Id`. `null`: there is none. */
  readonly find: (webhookId: string) => Promise<ReceiverResponse | null>
  /**
   * Stores an answer. Keep it for at least a week, because a request may be repeated for that long.
   */
  readonly save: (webhookId: string, response: ReceiverResponse) => Promise<void>
}

/** Stores answers in one process, until it ends. Beyond `capacity`, the oldest are dropped. */
export const inMemoryIdempotencyStore = (capacity = 10_000): IdempotencyStore => {
  const responses = new Map<string, ReceiverResponse>()
  return {
    find: async (webhookId) => responses.get(webhookId) ?? null,
    save: async (webhookId, response) => {
      responses.set(webhookId, response)
      const [oldest] = responses.keys()
      if (responses.size > capacity && oldest !== undefined) responses.delete(oldest)
    },
  }
}

export const createRespondOnce = (store: IdempotencyStore) => {
  // The service gives up after 30 s and sends again, while a slow handler may still work on the
  // first request.
  const inProgress = new Map<string, Promise<ReceiverResponse>>()

  /**
   * Rejects if `answer` does. Also rejects if the memory cannot be read: it is then unknown whether
   * the handler has run.
   */
  return (
    webhookId: string,
    answer: () => Promise<ReceiverResponse>,
    onSaveFailed: (error: unknown) => void,
  ): Promise<ReceiverResponse> => {
    const first = async (): Promise<ReceiverResponse> => {
      const stored = await store.find(webhookId)
      if (stored !== null) return stored
      const response = await answer()
      try {
        await store.save(webhookId, response)
      } catch (error) {
        // The handler's work is done, so the service gets the answer. A failed memory is no reason
        // for it to send again.
        onSaveFailed(error)
      }
      return response
    }
    const running = inProgress.get(webhookId) ?? first().finally(() => inProgress.delete(webhookId))
    inProgress.set(webhookId, running)
    return running
  }
}
