// Proves to a merchant that a request is ours and whole, in the interface's way and in that of Standard Webhooks.
// Interface §5, contract §6.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { standardWebhooksText } from '@plazo/core/signing'

/** What Standard Webhooks signs; `timestamp` in whole seconds. */
export type WebhookMessage = { readonly id: string; readonly timestamp: number; readonly body: string }

const hmac = (secret: string, bytes: string | Uint8Array) => createHmac('sha256', secret).update(bytes)

/** Lower-case hex HMAC-SHA256 over exactly these bytes; text counts as its UTF-8. */
export const sign = (secret: string, body: string | Uint8Array): string => hmac(secret, body).digest('hex')

/** Tells in constant time whether `signature` is what `sign` gives. */
export const verify = (secret: string, body: string | Uint8Array, signature: string): boolean =>
  isSame(signature, sign(secret, body))

/** One `v1,<base64>` for every live secret; the key is the secret's own characters, not what its hex stands for. */
export const signStandardWebhook = (secrets: readonly string[], message: WebhookMessage): string =>
  secrets.map((secret) => standardSignature(secret, message)).join(' ')

/** Whether one of the header's signatures is by one of the secrets; the age of the timestamp is the caller's to judge. */
export const verifyStandardWebhook = (secrets: readonly string[], message: WebhookMessage, header: string): boolean => {
  const given = header.split(' ')
  return secrets
    .map((secret) => standardSignature(secret, message))
    .some((expected) => given.some((signature) => isSame(signature, expected)))
}

const standardSignature = (secret: string, { id, timestamp, body }: WebhookMessage): string =>
  `v1,${hmac(secret, standardWebhooksText(id, timestamp, body)).digest('base64')}`

// A signature's length is no secret, so that comparing it first gives nothing away.
const isSame = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
