// Keeps the payloads of the jobs that this process has created until the jobs are completed. Most jobs are due at once, and some
// run again a second later, so most payloads need no decryption.
import { type Effect, type EffectPayload, hasNoPersonalData } from '@plazo/core'
import { LRUCache } from 'lru-cache'

export type PayloadCache = ReturnType<typeof createPayloadCache>

// The payloads of a burst may wait for a while. Those without personal data, such as timers that wait for hours, are not
// cached: they need no decryption.
const PAYLOADS_MAX = 48_000

/** By the effects' keys. */
export const createPayloadCache = () => {
  const payloads = new LRUCache<string, EffectPayload>({ max: PAYLOADS_MAX })
  return {
    /** Call it once the effects are committed. */
    add: (effects: readonly Effect[]): void => {
      for (const effect of effects)
        if (effect.type === 'do' && !hasNoPersonalData(effect.payload)) payloads.set(effect.key, effect.payload)
    },
    get: (key: string): EffectPayload | undefined => payloads.get(key),
    remove: (key: string): void => void payloads.delete(key),
    clear: (): void => payloads.clear(),
  }
}
