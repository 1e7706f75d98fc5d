// The parts of an effect that may be stored unencrypted, so that they can be read without a key.
import type { Work } from '@plazo/core'

// These contain only plazo's own keys of payments and timers, and no personal data.
const PLAIN = new Set<Work['kind']>(['timer', 'void', 'refund'])

export const isPlain = ({ kind }: Work): boolean => PLAIN.has(kind)

/** Parses a payload that was stored unencrypted. Throws if its kind must be encrypted. */
export const plainWorkFrom = (text: string): Work => {
  const work = JSON.parse(text) as Work
  if (!isPlain(work)) throw new Error('What should be sealed is not.')
  return work
}

/** The event of a delivery, or `ipn`; lists show it without a key. Null for other work. */
export const eventOf = (work: Work): string | null =>
  work.kind === 'event' ? work.event : work.kind === 'ipn' ? 'ipn' : null
