// Without these checks, a shop would act on forged, changed or replayed webhooks, and plazo on such callbacks of providers.
// Interface §5, contract §6.
import type { Clock } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { verify, verifyStandardWebhook } from '../http/signature.ts'

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

/** The `Webhook-Id`, which identifies repeated requests; `null` if none was signed. Left: what is wrong. */
type AuthenticationResult = E.Either<string, string | null>

/**
 * If Standard Webhooks' headers are present, they decide, and the request must be recent. They cover everything that the
 * interface's signature covers. On the day of a rotation, only they also carry the signature of the former secret.
 */
export const authenticate =
  (rules: AuthenticityRules) =>
  (secrets: readonly string[], received: ReceivedRequest): AuthenticationResult => {
    const { headers } = received
    const id = headers.get('webhook-id')
    const timestamp = headers.get('webhook-timestamp')
    const signature = headers.get('webhook-signature')
    if (id === null && timestamp === null && signature === null) return verifyBodySignature(rules, secrets, received)
    // An id or a timestamp that is not signed must not be trusted.
    if (!id || timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp))
      return E.left('The Webhook headers are incomplete.')
    const message = { id, timestamp: Number(timestamp), body: received.text ?? '' }
    if (received.text === null || !verifyStandardWebhook(secrets, message, signature)) return E.left(WRONG_SIGNATURE)
    const isRecent = Math.abs(rules.clock.now() - message.timestamp * 1000) <= rules.replayWindowMillis
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
