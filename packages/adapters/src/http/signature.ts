// Without signatures, a shop would act on forged, changed or replayed webhooks, and plazo on such
// callbacks of providers. There are two signatures: the interface's own and that of Standard
// Webhooks. Interface §5, contract §6.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { standardWebhooksText } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import { standardSignature } from './signed-headers.ts'

/** The content that Standard Webhooks signs. `timestamp` is in whole seconds. */
export type WebhookMessage = {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/** Node's own, which is synchronous and takes a tenth of the time. */
export const nodeHmac = (
  secret: string,
  bytes: string | Uint8Array,
  encoding: 'hex' | 'base64',
): string => createHmac('sha256', secret).update(bytes).digest(encoding)

/** Lower-case hex HMAC-SHA256 over exactly these bytes. A text counts as its UTF-8 bytes. */
export const sign = (secret: string, body: string | Uint8Array): string =>
  nodeHmac(secret, body, 'hex')

/** Checks in constant time whether `signature` equals the result of `sign`. */
export const verify = (secret: string, body: string | Uint8Array, signature: string): boolean =>
  equalsInConstantTime(signature, sign(secret, body))

/**
 * One `v1,<base64>` for every live secret. The key is the secret's own characters, not the bytes
 * that its hex encodes.
 */
export const signStandardWebhook = (secrets: readonly string[], message: WebhookMessage): string =>
  secrets.map((secret) => signMessage(secret, message)).join(' ')

/**
 * True if one of the header's signatures was made with one of the secrets. The caller must check
 * the timestamp's age.
 */
export const verifyStandardWebhook = (
  secrets: readonly string[],
  message: WebhookMessage,
  header: string,
): boolean => {
  const signatures = header.split(' ')
  return secrets
    .map((secret) => signMessage(secret, message))
    .some((expected) => signatures.some((signature) => equalsInConstantTime(signature, expected)))
}

const signMessage = (secret: string, { id, timestamp, body }: WebhookMessage): string =>
  standardSignature(nodeHmac(secret, standardWebhooksText(id, timestamp, body), 'base64'))

// A signature's length is not secret, so comparing it first reveals nothing.
const equalsInConstantTime = (signature: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export const WRONG_SIGNATURE = 'The signature is wrong.'
const REPLAY_WINDOW_MILLIS = 300_000

/**
 * Checks a request by Standard Webhooks. `text`: its body, null if it is not UTF-8. `now`: epoch
 * milliseconds, from which its timestamp may differ by five minutes in either direction. Returns
 * the `Webhook-Id`, which identifies repeated requests. Left: what is wrong.
 */
export const authenticateWebhook = (
  secrets: readonly string[],
  headers: Headers,
  text: string | null,
  now: number,
): E.Either<string, string> => {
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp') ?? ''
  const signature = headers.get('webhook-signature')
  // An id or a timestamp that is not signed must not be trusted.
  if (!id || signature === null || !/^\d{1,12}$/.test(timestamp))
    return E.left('The Webhook headers are incomplete.')
  const message = { id, timestamp: Number(timestamp), body: text ?? '' }
  if (text === null || !verifyStandardWebhook(secrets, message, signature))
    return E.left(WRONG_SIGNATURE)
  const isRecent = Math.abs(now - message.timestamp * 1000) <= REPLAY_WINDOW_MILLIS
  return isRecent ? E.right(id) : E.left('The timestamp is too far from now.')
}

/** Checks a request by the interface's own signature. Left: what is wrong. */
export const authenticateBody = (
  secrets: readonly string[],
  signature: string | null,
  bytes: Uint8Array,
): E.Either<string, null> =>
  signature !== null && secrets.some((secret) => verify(secret, bytes, signature))
    ? E.right(null)
    : E.left(WRONG_SIGNATURE)
