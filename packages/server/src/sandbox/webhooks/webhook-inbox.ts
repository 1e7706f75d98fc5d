// Keeps the webhooks that a sandbox merchant receives here, so that nobody needs a server to see
// them. Each merchant has the last 200 requests, and nobody waits for one to be stored.
import { randomBytes } from 'node:crypto'
import type { StoredRecord, Unavailable } from '@plazo/core/ports'
import { cutToBytes } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { UUID } from '../../http/request.ts'
import { redact, redactText } from '../redact.ts'
import type { SandboxParts } from '../watch.ts'
import type { InboxRequest } from './protocol.ts'

type ReceivedWebhook = Omit<
  InboxRequest,
  'id' | 'at' | 'event' | 'order_ref' | 'delivery' | 'is_cut'
>

const KIND = 'inbox'
const KEPT_PER_MERCHANT = 200
const BODY_BYTES_MAX = 64 * 1024
const TOKEN_BYTES = 16
const TOKEN_KIND = 'inbox_token'

type StoredWebhook = Omit<InboxRequest, 'id' | 'at' | 'order_ref'>

export const createWebhookInbox = (
  { store, records, clock }: Pick<SandboxParts, 'store' | 'records' | 'clock'>,
  onFailure: (reason: Unavailable) => void,
) => {
  // By merchant. Older ones than the last 200 would be dropped as soon as they were stored, so a
  // burst costs no more than these.
  const waiting = new Map<string, (ReceivedWebhook & { readonly at: number })[]>()
  let storing: Promise<void> | null = null

  /**
   * The order that the request names, if it is one of the merchant's: its data is then erased with
   * the order's shopper.
   */
  const orderOf = async (merchantRef: string, named: string | null): Promise<string | null> => {
    if (named === null) return null
    const order = await store.read(named)()
    return E.isRight(order) && order.right.placed.merchant.ref === merchantRef ? named : null
  }

  const add = async (
    merchantRef: string,
    { at, ...received }: ReceivedWebhook & { readonly at: number },
  ) => {
    const isLonger = Buffer.byteLength(received.body) >= CAPTURED_BYTES
    const text = redactText(isLonger ? withoutHalfCard(received.body) : received.body)
    const body = cutToBytes(text, BODY_BYTES_MAX)
    const stored: StoredWebhook = {
      ...received,
      body,
      is_cut: body.length < text.length || isLonger,
      event: eventIn(received.body),
      delivery: headerOf(received, 'webhook-id'),
    }
    const orderRef = await orderOf(merchantRef, orderRefIn(received))
    const record = { kind: KIND, orderRef, merchantRef, at, value: redact(stored) }
    const added = await records.add(record, KEPT_PER_MERCHANT)()
    if (E.isLeft(added)) onFailure(added.left)
  }

  const storeAll = async (): Promise<void> => {
    for (let merchant = waiting.keys().next(); !merchant.done; merchant = waiting.keys().next()) {
      const next = waiting.get(merchant.value)?.shift()
      if (next === undefined) waiting.delete(merchant.value)
      else await add(merchant.value, next)
    }
    storing = null
  }

  /** Resolves once all requests are stored. */
  const drain = async (): Promise<void> => {
    await storing
  }

  /** The unguessable part of the merchant's URLs; null until it chooses to receive here. */
  const tokenOf = (merchantRef: string): TE.TaskEither<Unavailable, string | null> =>
    pipe(
      records.list({ kind: TOKEN_KIND, merchantRef }),
      TE.map(([token]) => token?.key ?? null),
    )

  return {
    /** Stores a request soon. Cuts its body. */
    keep: (merchantRef: string, received: ReceivedWebhook): void => {
      const merchantRequests = waiting.get(merchantRef) ?? []
      merchantRequests.push({ ...received, at: clock.now() })
      if (merchantRequests.length > KEPT_PER_MERCHANT) merchantRequests.shift()
      waiting.set(merchantRef, merchantRequests)
      storing ??= storeAll()
    },
    /**
     * With a greater id than `after`, oldest first. Includes all that were kept before the call.
     */
    list: (
      merchantRef: string,
      after: number,
    ): TE.TaskEither<Unavailable, readonly InboxRequest[]> =>
      pipe(
        TE.fromTask(drain),
        TE.chain(() => records.list({ kind: KIND, merchantRef, after, limit: KEPT_PER_MERCHANT })),
        TE.map((stored) => stored.map(toInboxRequest)),
      ),
    tokenOf,
    /** Chooses to receive here. A merchant that has chosen keeps its token. */
    open: (merchantRef: string): TE.TaskEither<Unavailable, string> =>
      pipe(
        tokenOf(merchantRef),
        TE.chain((existing) => {
          if (existing !== null) return TE.right(existing)
          const token = randomBytes(TOKEN_BYTES).toString('base64url')
          return pipe(
            records.put({
              kind: TOKEN_KIND,
              key: token,
              orderRef: null,
              merchantRef,
              at: clock.now(),
              value: null,
            }),
            TE.map(() => token),
          )
        }),
      ),
    /** The merchant with this token; null if there is none. */
    ownerOf: (token: string): TE.TaskEither<Unavailable, string | null> =>
      pipe(
        records.list({ kind: TOKEN_KIND, key: token }),
        TE.map(([owner]) => owner?.merchantRef ?? null),
      ),
    drain,
  }
}

const toInboxRequest = ({ id, at, orderRef, value }: StoredRecord): InboxRequest => {
  // Only this file writes these records.
  const stored = value as StoredWebhook
  return { id, at: new Date(at).toISOString(), order_ref: orderRef, ...stored }
}

/** The end of a cut body may be the beginning of a card number, which nothing shows to be one. */
const withoutHalfCard = (body: string): string =>
  body.slice(0, -TAIL) + body.slice(-TAIL).replace(/(?:\p{N}[^\p{L}\p{N}]{0,4})+$/u, '')

const TAIL = 100

const headerOf = ({ headers }: Pick<ReceivedWebhook, 'headers'>, name: string): string | null =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1] ?? null

const fieldIn = (body: string, name: string): string | null => {
  if (!body.startsWith('{')) return new URLSearchParams(body).get(name)
  try {
    const value: unknown = JSON.parse(body)[name]
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}

/** The event that a webhook's body names; null for an IPN. */
export const eventIn = (body: string): string | null => fieldIn(body, 'event')

const orderRefIn = (received: ReceivedWebhook): string | null => {
  const named =
    fieldIn(received.body, 'order_ref') ?? headerOf(received, 'webhook-id')?.split(':')[0] ?? ''
  return UUID.test(named) ? named.toLowerCase() : null
}

type Receive = (request: Request) => Promise<Response>

// One byte more than is kept, so that the inbox sees that a body was longer.
const CAPTURED_BYTES = BODY_BYTES_MAX + 1

/**
 * The receiver answers as it always does. The request and its response are also kept.
 *
 * @param drillOf the fault drill that touched the delivery with this `Webhook-Id`, or null
 */
export const keepWebhooks =
  (
    receive: Receive,
    endpoint: ReceivedWebhook['endpoint'],
    keep: (received: ReceivedWebhook) => void,
    drillOf: (webhookId: string) => string | null,
  ): Receive =>
  async (request) => {
    const captured = captureBody(request)
    const response = await receive(captured.request)
    keep({
      endpoint,
      signature: signatureOf(request, response, captured.isComplete()),
      headers: Object.fromEntries(request.headers),
      body: captured.text(),
      status: response.status,
      response: response.body === null ? '' : await response.clone().text(),
      drill: drillOf(request.headers.get('webhook-id') ?? ''),
    })
    return response
  }

/**
 * Copies the beginning of the body while the receiver reads it. The receiver still refuses a body
 * that is too large or broken.
 */
const captureBody = (request: Request) => {
  const { url, method, headers, body } = request
  const chunks: Uint8Array[] = []
  let size = 0
  let isComplete = body === null
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (size < CAPTURED_BYTES) chunks.push(chunk.slice(0, CAPTURED_BYTES - size))
      size += chunk.length
      controller.enqueue(chunk)
    },
    flush: () => {
      isComplete = true
    },
  })
  const init = { method, headers, body: body?.pipeThrough(tap) ?? null, duplex: 'half' } as const
  return {
    request: new Request(url, init),
    text: () => new TextDecoder().decode(Buffer.concat(chunks)),
    isComplete: () => isComplete,
  }
}

/**
 * The receiver answers 401 to a wrong signature. It checks no signature if it has not read the
 * whole body.
 */
const signatureOf = (
  { headers }: Request,
  { status }: Response,
  isComplete: boolean,
): ReceivedWebhook['signature'] => {
  if (status !== 401) return isComplete && status !== 413 && status !== 500 ? 'right' : 'unchecked'
  return [...headers.keys()].some((name) => name.endsWith('-signature')) ? 'wrong' : 'missing'
}
