// The secrets that a provider and plazo sign with. There is one for each port, derived from SECRET_KEY, so that nothing more
// has to be stored. If SECRET_KEY has two keys, there are two secrets, as long as both keys are live.
import { hkdfSync } from 'node:crypto'
import type { ProviderPort } from '@plazo/core'

/** One secret of 64 hex digits for each key, in the same order. */
export const derivePortSecrets = (keys: readonly Uint8Array[], port: ProviderPort): readonly string[] =>
  keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `plazo provider ${port}`, 32)).toString('hex'))
