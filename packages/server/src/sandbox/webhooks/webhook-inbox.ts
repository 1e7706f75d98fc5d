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
import { fieldsIn } from './sent-webhooks.ts'

type ReceivedWebhook = Pick<
  InboxRequest,
  'endpoint' | 'signature' | 'headers' | 'status' | 'response'
> & {
  readonly body: Uint8Array
}

type WaitingWebhook = ReceivedWebhook & { readonly merchantRef: string; readonly at: number }

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
  let waiting: readonly WaitingWebhook[] = []
  let storing: Promise<void> | null = null

  /**
   * The order that the request names, if it is one of the merchant's: its data is then erased with
   * the order's shopper.
   */
  const orderOf = async (merchantRef: string, named: string): Promise<string | null> => {
    if (!UUID.test(named)) return null
    const order = await store.read(named)()
    return E.isRight(order) && order.right.placed.merchant.ref === merchantRef ? named : null
  }

  const add = async ({ merchantRef, at, body: bytes, ...received }: WaitingWebhook) => {
    const whole = new TextDecoder().decode(bytes)
    // One byte more than is shown was kept, so that a longer body is seen.
    const isLonger = bytes.length > BODY_BYTES_MAX
    const text = redactText(isLonger ? withoutHalfCard(whole) : whole)
    const body = cutToBytes(text, BODY_BYTES_MAX)
    const delivery = received.headers['webhook-id'] ?? null
    const stored: StoredWebhook = {
      ...received,
      body,
      is_cut: body.length < text.length || isLonger,
      event: eventIn(whole),
      delivery,
    }
    const named = fieldsIn(whole).order_ref ?? delivery?.split(':')[0]
    const orderRef = await orderOf(merchantRef, String(named).toLowerCase())
    const record = { kind: KIND, orderRef, merchantRef, at, value: redact(stored) }
    const added = await records.add(record, KEPT_PER_MERCHANT)()
    if (E.isLeft(added)) onFailure(added.left)
  }

  const storeAll = async (): Promise<void> => {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      waiting = waiting.slice(1)
      await add(next)
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
      const ofMerchant = waiting.filter((each) => each.merchantRef === merchantRef)
      // Older ones would be dropped as soon as they were stored, so a burst costs no more.
      const dropped = ofMerchant.length < KEPT_PER_MERCHANT ? undefined : ofMerchant[0]
      const body = new Uint8Array(received.body.subarray(0, BODY_BYTES_MAX + 1))
      const newest = { ...received, body, merchantRef, at: clock.now() }
      waiting = [...waiting.filter((each) => each !== dropped), newest]
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

/** The event that a webhook's body names; null for an IPN, whose other parameters are the shop's. */
const eventIn = (body: string): string | null => {
  const { product_code, event } = fieldsIn(body)
  return product_code === undefined && typeof event === 'string' ? event : null
}
