// Reads what shops were sent, and what they answered, from the stored deliveries: a page or a
// timeline then shows the same as the list of deliveries, also after a restart.
import { verifyStandardWebhook } from '@plazo/adapters/http'
import type { FullHost } from '@plazo/core'
import type {
  Attempt,
  Delivery,
  DeliveryFilter,
  MerchantRequest,
  Merchants,
} from '@plazo/core/ports'
import { isJsonObject } from '@plazo/core/protocol'
import { value } from '@plazo/server/internal'

/** An attempt with the headers that it sent. */
export type SentAttempt = Attempt & {
  readonly headers: Readonly<Record<string, string>>
  /** Null: nothing was signed, or the body is gone. */
  readonly isSignatureRight: boolean | null
}

export type SentWebhook = Omit<Delivery, 'attempts'> & {
  /** Null: it is erased with the shopper. */
  readonly body: string | null
  readonly attempts: readonly SentAttempt[]
}

type Parts = {
  readonly host: Pick<FullHost, 'store' | 'clock'>
  readonly merchants: Pick<Merchants, 'liveSecrets'>
}

/** Newest last. */
export const readSentWebhooks =
  ({ host: { store, clock }, merchants }: Parts) =>
  async (
    filter: Pick<DeliveryFilter, 'merchantRef' | 'orderRef' | 'limit'>,
  ): Promise<readonly SentWebhook[]> => {
    const deliveries = await value(store.deliveries.list({ ...filter, state: null, before: null }))
    const requests = new Map<string, MerchantRequest>()
    for (const orderRef of new Set(deliveries.map((delivery) => delivery.orderRef)))
      for (const [id, request] of await value(store.inspection.requests(orderRef)))
        requests.set(id, request)
    const secrets = await value(merchants.liveSecrets(filter.merchantRef, clock.now()))
    return deliveries.map((delivery) => {
      const request = requests.get(delivery.id)
      const attempts = delivery.attempts.map(toSentAttempt(delivery.id, request, secrets))
      return { ...delivery, body: request?.body ?? null, attempts }
    })
  }

const toSentAttempt =
  (id: string, request: MerchantRequest | undefined, secrets: readonly string[]) =>
  (attempt: Attempt): SentAttempt => {
    const sent = attempt.request?.sent
    const headers = {
      ...(request && { 'Content-Type': request.contentType }),
      'Webhook-Id': id,
      ...(sent && { 'Webhook-Timestamp': sent.timestamp, ...sent.signatures }),
    }
    if (sent === undefined || request === undefined)
      return { ...attempt, headers, isSignatureRight: null }
    const message = { id, timestamp: Number(sent.timestamp), body: request.body }
    const signature = sent.signatures['Webhook-Signature'] ?? ''
    const isSignatureRight = verifyStandardWebhook(secrets, message, signature)
    return { ...attempt, headers, isSignatureRight }
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
