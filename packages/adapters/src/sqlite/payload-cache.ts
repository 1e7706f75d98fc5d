// Decrypts the payloads of jobs. Payloads that this process created are cached by the effect's key: most are due at once, and
// the process that created them runs them.
import { type Effect, type EffectPayload, effectKeyParts } from '@plazo/core'
import { aadForPayload } from '../sql/associated-data.ts'
import { createLruCache } from '../sql/lru-cache.ts'
import { hasNoPersonalData, parseUnencryptedPayload } from '../sql/step-rows.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import type { ClaimedJob } from './writer/commands.ts'

type PayloadRow = { readonly order_id: number; readonly work: Buffer | string }

export type PayloadCache = {
  /** Call after they have been committed. */
  readonly cache: (effects: readonly Effect[]) => void
  /** Throws if the payload is missing, or was not encrypted for this place. */
  readonly payloadOf: (entry: ClaimedJob) => EffectPayload
}

// The payloads of a burst may wait for a while. Those without personal data, such as timers that wait for hours, are not
// cached: they need no decryption.
const CACHE_HALF = 32_000

export const createPayloadCache = (db: Database, dataKeys: DataKeys): PayloadCache => {
  const read = db.prepare<[number], PayloadRow>('select order_id, work from outbox where id = ?')
  const payloads = createLruCache<string, EffectPayload>(CACHE_HALF)
  dataKeys.onInvalidate(payloads.clear)

  const decryptPayload = ({ id, key }: ClaimedJob): EffectPayload => {
    const row = read.get(id)
    if (row === undefined) throw new Error('The payload of the job is missing.')
    if (typeof row.work === 'string') return parseUnencryptedPayload(row.work)
    const { revision, lane } = effectKeyParts(key)
    return JSON.parse(dataKeys.decrypt(row.order_id, aadForPayload(revision, lane), row.work)) as EffectPayload
  }

  return {
    cache: (effects) => {
      for (const effect of effects)
        if (effect.type === 'do' && !hasNoPersonalData(effect.work)) payloads.set(effect.key, effect.work)
    },
    payloadOf: (entry) => payloads.get(entry.key) ?? decryptPayload(entry),
  }
}
