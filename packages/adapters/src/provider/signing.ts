// Verifies callbacks of providers, and derives the secrets that both sides sign with. docs/providers.md.
import { hkdfSync } from 'node:crypto'
import type { ProviderPort } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { decodeUtf8 } from '../http/signature.ts'
import { authenticate } from '../merchant/authenticity.ts'

/** Five minutes in either direction, as in Standard Webhooks. */
const REPLAY_WINDOW = 300_000

export type ReceivedCallback = { readonly headers: Headers; readonly bytes: Uint8Array }

/** Returns the body's text. Left: what is wrong. `realNow` is real time, because a provider knows no other. */
export const verifyCallback = (
  secrets: readonly string[],
  realNow: () => number,
  { headers, bytes }: ReceivedCallback,
): E.Either<string, string> => {
  const text = decodeUtf8(bytes)
  const rules = {
    signatureHeader: '',
    replayWindowMillis: REPLAY_WINDOW,
    requiresTimestamp: true,
    clock: { now: realNow },
  }
  return text === null
    ? E.left('The body is not UTF-8.')
    : E.map(() => text)(authenticate(rules)(secrets, { headers, bytes, text }))
}

/**
 * The secrets that the provider of a port and plazo sign with. They are derived from SECRET_KEY, so that nothing more has to be
 * stored: one secret of 64 hex digits for each of its keys, in the same order.
 */
export const derivePortSecrets = (keys: readonly Uint8Array[], port: ProviderPort): readonly string[] =>
  keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `plazo provider ${port}`, 32)).toString('hex'))
