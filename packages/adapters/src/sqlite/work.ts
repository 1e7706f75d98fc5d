// What an effect is to do, as the outbox keeps it: sealed where anything of the shopper may be in it.
import type { Work } from '@plazo/core'
import { type DataKey, seal } from '../sealing/sealer.ts'
import type { Vault } from './vault.ts'

// These name payments and timers by keys of ours, and nobody.
const PLAIN = new Set<Work['kind']>(['timer', 'void', 'refund'])

export const isPlain = ({ kind }: Work): boolean => PLAIN.has(kind)

export const placeOfWork = (revision: number, lane: string): string => `work ${revision}:${lane}`

export const keptWork = (key: DataKey, revision: number, lane: string, work: Work): Buffer | string => {
  const text = JSON.stringify(work)
  return isPlain(work) ? text : seal(key, placeOfWork(revision, lane), text)
}

export type WorkRow = {
  readonly order_id: number
  readonly revision: number
  readonly work: Buffer | string
}

/** `lane`: the one it was made in. Throws where it was not kept by `keptWork`, at this place. */
export const workOf = (vault: Vault, { order_id, revision, work }: WorkRow, lane: string): Work => {
  if (typeof work !== 'string') return JSON.parse(vault.open(order_id, placeOfWork(revision, lane), work)) as Work
  const plain = JSON.parse(work) as Work
  if (!isPlain(plain)) throw new Error('What should be sealed is not.')
  return plain
}

/** What a delivery tells, which lists show without any key; null for other work. */
export const eventOf = (work: Work): string | null =>
  work.kind === 'event' ? work.event : work.kind === 'ipn' ? 'ipn' : null
