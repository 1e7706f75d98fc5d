// What of an effect's work may be read without a key.
import type { Work } from '@plazo/core'

// These name payments and timers by keys of ours, and nobody.
const PLAIN = new Set<Work['kind']>(['timer', 'void', 'refund'])

export const isPlain = ({ kind }: Work): boolean => PLAIN.has(kind)

/** As it was kept without sealing it. Throws where it should have been sealed. */
export const plainWorkFrom = (text: string): Work => {
  const work = JSON.parse(text) as Work
  if (!isPlain(work)) throw new Error('What should be sealed is not.')
  return work
}

/** What a delivery tells, which lists show without any key; null for other work. */
export const eventOf = (work: Work): string | null =>
  work.kind === 'event' ? work.event : work.kind === 'ipn' ? 'ipn' : null
