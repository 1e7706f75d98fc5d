// What a provider and we sign with: a secret for each port, derived from SECRET_KEY, so that there is nothing more to
// keep. Where that has two keys there are two secrets, as long as both are live.
import { hkdfSync } from 'node:crypto'
import type { ProviderPort } from '@plazo/core'

/** 64 hex digits for each key, in their order. */
export const portSecrets = (keys: readonly Uint8Array[], port: ProviderPort): readonly string[] =>
  keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `plazo provider ${port}`, 32)).toString('hex'))
