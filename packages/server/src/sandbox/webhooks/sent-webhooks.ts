// Reads what shops were sent, and what they answered, from the stored deliveries: a page or a
// timeline then shows the same as the list of deliveries, also after a restart.
import { verifyStandardWebhook } from '@plazo/adapters/http'
import type { FullHost } from '@plazo/core'
import type {
  Attempt,
  Delivery,
  DeliveryNotFound,
  MerchantRequest,
  Merchants,
  OrderNotFound,
  Unavailable,
} from '@plazo/core/ports'
import { isJsonObject } from '@plazo/core/protocol'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** An attempt of a delivery that has ended. */
export type SentWebhook = {
  readonly delivery: Delivery
  readonly attempt: Attempt
  readonly headers: Readonly<Record<string, string>>
  /** Null: it is erased with the shopper. */
  readonly body: string | null
  /** Null: nothing was signed, or its body is gone. */
  readonly isSignatureRight: boolean | null
}

type Parts = {
  readonly host: Pick<FullHost, 'store' | 'clock'>
  readonly merchants: Pick<Merchants, 'liveSecrets'>
}

// More would be megabytes of answers.
const DELIVERIES_MAX = 100

/**
 * The attempts of the newest deliveries of a merchant, or of one of their orders, oldest first.
 */
export const readSentWebhooks =
  ({ host: { store, clock }, merchants }: Parts) =>
  (
    merchantRef: string,
    orderRef: string | null,
    limit = DELIVERIES_MAX,
  ): TE.TaskEither<OrderNotFound | DeliveryNotFound | Unavailable, readonly SentWebhook[]> =>
    pipe(
      store.deliveries.list({ merchantRef, orderRef, state: null, before: null, limit }),
      TE.bindTo('deliveries'),
      TE.bindW('requests', ({ deliveries }) =>
        TE.traverseArray(store.inspection.requests)([
          ...new Set(deliveries.map((delivery) => delivery.orderRef)),
        ]),
      ),
      TE.bindW('secrets', () => merchants.liveSecrets(merchantRef, clock.now())),
      TE.map(({ deliveries, requests, secrets }) => {
        const byId = new Map(requests.flatMap((ofOrder) => [...ofOrder]))
        return deliveries
          .flatMap((delivery) =>
            delivery.attempts
              .filter(({ outcome }) => outcome !== null)
              .map((attempt) => toSentWebhook(delivery, attempt, byId.get(delivery.id), secrets)),
          )
          .toSorted((one, other) => one.attempt.startedAt - other.attempt.startedAt)
      }),
    )

const toSentWebhook = (
  delivery: Delivery,
  attempt: Attempt,
  request: MerchantRequest | undefined,
  secrets: readonly string[],
): SentWebhook => {
  const sent = attempt.request?.sent
  const body = request?.body ?? null
  const message = { id: delivery.id, timestamp: Number(sent?.timestamp), body: body ?? '' }
  const signature = sent?.signatures['Webhook-Signature'] ?? ''
  return {
    delivery,
    attempt,
    headers: {
      ...(request && { 'Content-Type': request.contentType }),
      'Webhook-Id': delivery.id,
      ...(sent && { 'Webhook-Timestamp': sent.timestamp, ...sent.signatures }),
    },
    body,
    isSignatureRight:
      sent === undefined || body === null
        ? null
        : verifyStandardWebhook(secrets, message, signature),
  }
}

/** The fields of a webhook's body, which is JSON or a form. */
export const fieldsIn = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(body)
    return isJsonObject(value) ? value : {}
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}
