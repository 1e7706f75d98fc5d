// What a row of the outbox is to do, as it is kept: sealed where anything of the shopper may be in it.
import type { Work } from '@plazo/core'
import { ownLane } from '../rows/beside.ts'
import { placeOfWork } from '../rows/places.ts'
import { plainWorkFrom } from '../rows/plain-work.ts'
import type { KeyColumns, Vault } from './vault.ts'

type WorkRow = KeyColumns & {
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly work: Buffer
}

const BRACE = '{'.charCodeAt(0)

/** Throws where it was not kept so, at this place. */
export const workFrom = (vault: Vault, row: WorkRow): Work => {
  const { order_ref, revision, lane, work } = row
  if (work[0] === BRACE) return plainWorkFrom(work.toString())
  return JSON.parse(vault.open(vault.keyFrom(order_ref, row), placeOfWork(revision, ownLane(lane)), work)) as Work
}
