// What an effect is to do, as the outbox keeps it: sealed where anything of the shopper may be in it. What was made here is
// remembered, told by its seal.
import type { Work } from '@plazo/core'
import { memoryOfRows } from '../../rows/memory-of-rows.ts'
import { placeOfWork } from '../../rows/places.ts'
import { isPlain } from '../../rows/plain-work.ts'
import { type DataKey, seal, sealOf } from '../../sealing/sealer.ts'
import type { Vault } from '../vault.ts'
import type { DoWrite } from './calls.ts'

export type WorkRow = {
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly work: Buffer | string
}

export type Works = {
  readonly kept: (orderRef: string, key: DataKey, made: DoWrite) => Buffer | string
  /** As JSON; `lane`: the one it was made in. Throws where it was not kept by `kept`, at this place. */
  readonly of: (row: WorkRow, lane: string) => string
}

// Most is due at once, and claimed by the process that made it; a burst's may wait for a while.
const REMEMBERED_HALF = 16_000

export const sealedWorks = (vault: Vault): Works => {
  // By the seal.
  const made = memoryOfRows<string, { readonly place: string; readonly work: string }>(REMEMBERED_HALF)
  vault.onOthers(made.clear)
  return {
    kept: (orderRef, key, { revision, lane, work, isPlain }) => {
      if (isPlain) return work
      const place = placeOfWork(revision, lane)
      const sealed = seal(key, place, work)
      made.set(sealOf(sealed), { place: `${orderRef} ${place}`, work })
      return sealed
    },
    of: ({ order_id, order_ref, revision, work }, lane) => {
      if (typeof work !== 'string') {
        const place = placeOfWork(revision, lane)
        const known = Buffer.isBuffer(work) ? made.get(sealOf(work)) : undefined
        return known?.place === `${order_ref} ${place}` ? known.work : vault.open(order_id, place, work)
      }
      if (!isPlain(JSON.parse(work) as Work)) throw new Error('What should be sealed is not.')
      return work
    },
  }
}
