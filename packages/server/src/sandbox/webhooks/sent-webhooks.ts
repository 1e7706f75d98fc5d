// Reads what shops were sent, and what they answered, from the stored deliveries: a page or a
// timeline then shows the same as the list of deliveries, also after a restart.
import { verifyStandardWebhook } from '@plazo/adapters/internal/http'
import {
  type Attempt,
  type Delivery,
  type DeliveryFilter,
  isJsonObject,
  type MerchantRequest,
} from '@plazo/core/internal'
import { value } from '@plazo/server/internal'
import type { SandboxServices } from '../services.ts'

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

/** Newest last. */
export const readSentWebhooks =
  ({ host: { store, clock }, merchants }: Pick<SandboxServices, 'host' | 'merchants'>) =>
  async (
    filter: Pick<DeliveryFilter, 'merchantRef' | 'orderRef' | 'limit'>,
  ): Promise<readonly SentWebhook[]> => {
    const deliveries = await value(store.deliveries.list({ ...filter, state: null, before: null }))
    const secrets = await value(merchants.liveSecrets(filter.merchantRef, clock.now()))
    const requests = new Map<string, MerchantRequest>()
    for (const orderRef of new Set(deliveries.map((delivery) => delivery.orderRef)))
      for (const [id, request] of await value(store.inspection.requests(orderRef)))
        requests.set(id, request)

    return deliveries.map(({ attempts, ...delivery }) => {
      const { id } = delivery
      const { body = null, contentType } = requests.get(id) ?? {}
      const toSent = (attempt: Attempt): SentAttempt => {
        const { timestamp = '', signatures = {} } = attempt.request?.sent ?? {}
        const signature = signatures['Webhook-Signature']
        const headers = {
          ...(contentType && { 'Content-Type': contentType }),
          'Webhook-Id': id,
          ...(timestamp && { 'Webhook-Timestamp': timestamp }),
          ...signatures,
        }
        const message = { id, timestamp: Number(timestamp), body: body ?? '' }
        const isSignatureRight =
          body === null || timestamp === ''
            ? null
            : verifyStandardWebhook(secrets, message, signature ?? '')
        return { ...attempt, headers, isSignatureRight }
      }
      return { ...delivery, body, attempts: attempts.map(toSent) }
    })
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
