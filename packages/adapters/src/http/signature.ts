// Signs requests, which proves to a merchant that they come from plazo and are complete. There are two signatures: the
// interface's own and that of Standard Webhooks. Interface §5, contract §6.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { standardWebhooksText } from '@plazo/core/signing'

/** The content that Standard Webhooks signs. `timestamp` is in whole seconds. */
export type WebhookMessage = { readonly id: string; readonly timestamp: number; readonly body: string }

const hmac = (secret: string, bytes: string | Uint8Array) => createHmac('sha256', secret).update(bytes)

/** Lower-case hex HMAC-SHA256 over exactly these bytes. A text counts as its UTF-8 bytes. */
export const sign = (secret: string, body: string | Uint8Array): string => hmac(secret, body).digest('hex')

/** Checks in constant time whether `signature` equals the result of `sign`. */
export const verify = (secret: string, body: string | Uint8Array, signature: string): boolean =>
  equalsInConstantTime(signature, sign(secret, body))

/** One `v1,<base64>` for every live secret. The key is the secret's own characters, not the bytes that its hex encodes. */
export const signStandardWebhook = (secrets: readonly string[], message: WebhookMessage): string =>
  secrets.map((secret) => standardSignature(secret, message)).join(' ')

/** True if one of the header's signatures was made with one of the secrets. The caller must check the timestamp's age. */
export const verifyStandardWebhook = (secrets: readonly string[], message: WebhookMessage, header: string): boolean => {
  const signatures = header.split(' ')
  return secrets
    .map((secret) => standardSignature(secret, message))
    .some((expected) => signatures.some((signature) => equalsInConstantTime(signature, expected)))
}

const standardSignature = (secret: string, { id, timestamp, body }: WebhookMessage): string =>
  `v1,${hmac(secret, standardWebhooksText(id, timestamp, body)).digest('base64')}`

// A signature's length is not secret, so comparing it first reveals nothing.
const equalsInConstantTime = (signature: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

// Strict, so that the text is exactly what was signed. A byte order mark is kept, because it was signed too. The core removes the
// one that an answer may have.
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null => {
  try {
    return STRICT_DECODER.decode(bytes)
  } catch {
    return null
  }
}
