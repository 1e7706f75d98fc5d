// Whether a request is the service's, whole and of now: by the interface's signature, or by Standard Webhooks' where its
// headers are there. Interface §5, contract §6.
import type { Clock } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { verify, verifyStandardWebhook } from '../http/signature.ts'

type AuthenticityRules = {
  readonly signatureHeader: string
  readonly replayWindowMillis: number
  readonly requiresTimestamp: boolean
  readonly clock: Clock
}

type Received = {
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** `null` where the bytes are no UTF-8. */
  readonly text: string | null
}

/** The `Webhook-Id`, by which repeats are known; `null` where none was signed. Left: what is wrong. */
type Authentic = E.Either<string, string | null>

/**
 * Where Standard Webhooks' headers are there, they decide: they cover all that the interface's signature covers, and on
 * the day of a rotation they alone carry the former secret's signature too.
 */
export const authenticate =
  (rules: AuthenticityRules) =>
  (secrets: readonly string[], received: Received): Authentic => {
    const { headers } = received
    const id = headers.get('webhook-id')
    const timestamp = headers.get('webhook-timestamp')
    const signature = headers.get('webhook-signature')
    if (id === null && timestamp === null && signature === null) return byBody(rules, secrets, received)
    // An id or an instant that nobody signed must not be believed.
    if (!id || timestamp === null || signature === null || !/^\d{1,12}$/.test(timestamp))
      return E.left('The Webhook headers are incomplete.')
    const message = { id, timestamp: Number(timestamp), body: received.text ?? '' }
    if (received.text === null || !verifyStandardWebhook(secrets, message, signature)) return E.left(WRONG)
    const isOfNow = Math.abs(rules.clock.now() - message.timestamp * 1000) <= rules.replayWindowMillis
    return isOfNow ? E.right(id) : E.left('The timestamp is too far from now.')
  }

const WRONG = 'The signature is wrong.'

const byBody = (rules: AuthenticityRules, secrets: readonly string[], { headers, bytes }: Received): Authentic => {
  if (rules.requiresTimestamp) return E.left('The Webhook headers are missing.')
  const signature = headers.get(rules.signatureHeader)
  return signature !== null && secrets.some((secret) => verify(secret, bytes, signature))
    ? E.right(null)
    : E.left(WRONG)
}
