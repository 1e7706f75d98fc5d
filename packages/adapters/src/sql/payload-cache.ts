// Keeps the payloads of the jobs that this process has created. Most jobs are due at once, and some run again a second later, so
// most payloads need no decryption.
import { type Effect, type EffectPayload, hasNoPersonalData } from '@plazo/core'
import { LRUCache } from 'lru-cache'

export type PayloadCache = {
  /** Adds the payloads of these effects, by the effects' keys. Call it once the effects are committed. */
  readonly add: (effects: readonly Effect[]) => void
  readonly get: (key: string) => EffectPayload | undefined
  readonly clear: () => void
}

/**
 * `max`: the number of payloads. Those without personal data, such as timers that wait for hours, are not cached: they need no
 * decryption.
 */
export const createPayloadCache = (max: number): PayloadCache => {
  const payloads = new LRUCache<string, EffectPayload>({ max })
  return {
    add: (effects) => {
      for (const effect of effects)
        if (effect.type === 'do' && !hasNoPersonalData(effect.payload)) payloads.set(effect.key, effect.payload)
    },
    get: (key) => payloads.get(key),
    clear: () => payloads.clear(),
  }
}
