// Without signatures, a shop would act on forged, changed or replayed webhooks, and plazo on such
// callbacks of providers. There are two signatures: the interface's own and that of Standard
// Webhooks. Interface §5, contract §6.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '@plazo/core/ports'
import { standardWebhooksText } from '@plazo/core/signing'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'

/** The content that Standard Webhooks signs. `timestamp` is in whole seconds. */
export type WebhookMessage = {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

const hmac = (secret: string, bytes: string | Uint8Array) =>
  createHmac('sha256', secret).update(bytes)

/** Lower-case hex HMAC-SHA256 over exactly these bytes. A text counts as its UTF-8 bytes. */
export const sign = (secret: string, body: string | Uint8Array): string =>
  hmac(secret, body).digest('hex')

/** Checks in constant time whether `signature` equals the result of `sign`. */
export const verify = (secret: string, body: string | Uint8Array, signature: string): boolean =>
  equalsInConstantTime(signature, sign(secret, body))

/**
 * One `v1,<base64>` for every live secret. The key is the secret's own characters, not the bytes
 * that its hex encodes.
 */
export const signStandardWebhook = (secrets: readonly string[], message: WebhookMessage): string =>
  secrets.map((secret) => standardSignature(secret, message)).join(' ')

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
    .map((secret) => standardSignature(secret, message))
    .some((expected) => signatures.some((signature) => equalsInConstantTime(signature, expected)))
}

type SignedContent = { readonly id: string; readonly contentType: string; readonly body: string }

type Signer = {
  /** The live secrets, the current one first. */
  readonly secrets: readonly string[]
  readonly userAgent: string
  /** Epoch milliseconds. Real time, because receivers compare it with their own clocks. */
  readonly now: number
}

/** The headers that every signed request has, to merchants and to providers. */
export const signedHeaders = (
  { id, contentType, body }: SignedContent,
  { secrets, userAgent, now }: Signer,
) => {
  const timestamp = Math.floor(now / 1000)
  return {
    'Content-Type': contentType,
    'Content-Length': String(Buffer.byteLength(body)),
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': userAgent,
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': signStandardWebhook(secrets, { id, timestamp, body }),
  }
}

const standardSignature = (secret: string, { id, timestamp, body }: WebhookMessage): string =>
  `v1,${hmac(secret, standardWebhooksText(id, timestamp, body)).digest('base64')}`

// A signature's length is not secret, so comparing it first reveals nothing.
const equalsInConstantTime = (signature: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(signature), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

// Strict, so that the text is exactly what was signed. A byte order mark is kept, because it was
// signed too. The core removes the one that an answer may have.
const STRICT_DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Null if the bytes are not UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string | null =>
  O.toNullable(O.tryCatch(() => STRICT_DECODER.decode(bytes)))

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
