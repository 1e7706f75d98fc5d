// Without signatures, a shop would act on forged, changed or replayed webhooks, and plazo on such
// callbacks of providers. There are two signatures: the interface's own and that of Standard
// Webhooks. Interface §5, contract §6.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@plazo/core/ports'
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

type AuthenticityRules = {
  readonly signatureHeader: string
  readonly replayWindowMillis: number
  readonly requiresTimestamp: boolean
  readonly clock: Clock
}

type ReceivedRequest = {
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** `null` if the bytes are not UTF-8. */
  readonly text: string | null
}

/**
 * The `Webhook-Id`, which identifies repeated requests; `null` if none was signed. Left: what is
 * wrong.
 */
type AuthenticationResult = E.Either<string, string | null>

/**
 * If Standard Webhooks' headers are present, they decide, and the request must be recent. They
 * cover everything that the interface's signature covers. On the day of a rotation, only they also
 * carry the signature of the former secret.
 */
export const authenticate =
  (rules: AuthenticityRules) =>
  (secrets: readonly string[], received: ReceivedRequest): AuthenticationResult => {
    const { headers } = received
    const id = headers.get('webhook-id')
    const timestamp = headers.get('webhook-timestamp')
    const signature = headers.get('webhook-signature')
    if (id === null && timestamp === null && signature === null)
      return verifyBodySignature(rules, secrets, received)
    // An id or a timestamp that is not signed must not be trusted.
    if (!id || timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp))
      return E.left('The Webhook headers are incomplete.')
    const message = { id, timestamp: Number(timestamp), body: received.text ?? '' }
    if (received.text === null || !verifyStandardWebhook(secrets, message, signature))
      return E.left(WRONG_SIGNATURE)
    const isRecent =
      Math.abs(rules.clock.now() - message.timestamp * 1000) <= rules.replayWindowMillis
    return isRecent ? E.right(id) : E.left('The timestamp is too far from now.')
  }

const WRONG_SIGNATURE = 'The signature is wrong.'

const verifyBodySignature = (
  rules: AuthenticityRules,
  secrets: readonly string[],
  { headers, bytes }: ReceivedRequest,
): AuthenticationResult => {
  if (rules.requiresTimestamp) return E.left('The Webhook headers are missing.')
  const signature = headers.get(rules.signatureHeader)
  return signature !== null && secrets.some((secret) => verify(secret, bytes, signature))
    ? E.right(null)
    : E.left(WRONG_SIGNATURE)
}
