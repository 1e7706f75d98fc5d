// The parts of an effect that may be stored unencrypted, so that they can be read without a key.
import type { EffectPayload } from '@plazo/core'

// These contain only plazo's own keys of payments and timers, and no personal data.
const UNENCRYPTED_KINDS = new Set<EffectPayload['kind']>(['timer', 'void', 'refund'])

export const hasNoPersonalData = ({ kind }: EffectPayload): boolean => UNENCRYPTED_KINDS.has(kind)

/** Parses a payload that was stored unencrypted. Throws if its kind must be encrypted. */
export const parseUnencryptedPayload = (text: string): EffectPayload => {
  const work = JSON.parse(text) as EffectPayload
  if (!hasNoPersonalData(work)) throw new Error('Cannot decrypt: the value is not encrypted.')
  return work
}

/** The event of a delivery, or `ipn`; lists show it without a key. Null for other work. */
export const deliveryEventName = (work: EffectPayload): string | null =>
  work.kind === 'event' ? work.event : work.kind === 'ipn' ? 'ipn' : null
