// Orders read from PostgreSQL, many in one statement. What an order was at a revision never changes: one that is
// remembered at the revision it still has is not read, nor opened, again.
import type { Order, Placed } from '@plazo/core'
import { placedFrom, readingOf, snapshotFrom } from '../rows/kept-order.ts'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { PLACED, placeOfSnapshot } from '../rows/places.ts'
import type { DataKey } from '../sealing/sealer.ts'
import { batching } from './batching.ts'
import { type Connection, isUuid, type Statement } from './connection.ts'
import type { KeyColumns, Vault } from './vault.ts'

/** An order as it stands, and the data key that what is written of it is sealed under. */
export type ReadOrder = { readonly order: Order; readonly key: DataKey }

export type OrderReading = {
  /** Of those that exist, by their reference. What cannot be opened throws when it is asked for, and holds up no other. */
  readonly readAll: (orderRefs: readonly string[]) => Promise<ReadonlyMap<string, () => ReadOrder>>
  /** The same for one, read together with whatever else is asked for at the time. */
  readonly read: (orderRef: string) => Promise<ReadOrder | undefined>
  /** As it was last seen here, where that mostly still stands: other servers may have moved it since. */
  readonly recall: (orderRef: string) => ReadOrder | undefined
  /** What was recalled still stood. Where it did not, the order is read again, which is noticed. */
  readonly stood: () => void
  /** What has just been written. */
  readonly remember: (order: Order, key: DataKey) => void
  readonly clear: () => void
}

type Row = {
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer | null
  readonly placed: Buffer | null
} & { readonly [column in keyof KeyColumns]: KeyColumns[column] | null }

export const READ: Statement = {
  name: 'orders-read',
  text: `
    select k.order_ref, o.revision, n.snapshot, p.placed, d.key_id, d.tag, d.sealed
    from unnest($1::uuid[], $2::integer[]) as k(order_ref, revision)
    cross join lateral (select revision from plazo.orders o where o.order_ref = k.order_ref limit 1) o
    left join lateral (
      select snapshot from plazo.snapshots n
      where n.order_ref = k.order_ref and o.revision is distinct from k.revision limit 1) n on true
    left join lateral (
      select placed from plazo.placements p
      where p.order_ref = k.order_ref and o.revision is distinct from k.revision limit 1) p on true
    left join lateral (
      select key_id, tag, sealed from plazo.data_keys d
      where d.order_ref = k.order_ref and o.revision is distinct from k.revision limit 1) d on true`,
}

const REMEMBERED_HALF = 16_000
const TOGETHER = 200

// Deciding in vain, and writing nothing, costs more than reading first. Of the last few dozen.
const MOSTLY = 0.9
const OF_LATE = 64

export const orderReading = ({ query }: Connection, vault: Vault): OrderReading => {
  const remembered = memoryOfRows<string, ReadOrder>(REMEMBERED_HALF)
  let share = 1

  const note = (hasStood: boolean): void => {
    share += (Number(hasStood) - share) / OF_LATE
  }

  // Under another data key the order was placed anew, so to say: its shopper was forgotten.
  const placedOf = (orderRef: string, key: DataKey, placed: Buffer): Placed => {
    const known = remembered.get(orderRef)
    return known?.key.tag === key.tag ? known.order.placed : placedFrom(vault.open(key, PLACED, placed))
  }

  const orderOf = (row: Row, known: ReadOrder | undefined): ReadOrder => {
    const { order_ref, revision, snapshot, placed, key_id, tag, sealed } = row
    if (known !== undefined) note(known.order.revision === revision)
    if (known?.order.revision === revision) return known
    const read = readingOf(order_ref, () => {
      if (snapshot === null || placed === null || key_id === null || tag === null || sealed === null)
        throw new Error('Rows of the order are missing.')
      const key = vault.keyFrom(order_ref, { key_id, tag, sealed })
      const moving = snapshotFrom(vault.open(key, placeOfSnapshot(revision), snapshot))
      return { order: { placed: placedOf(order_ref, key, placed), revision, ...moving }, key }
    })
    remembered.set(order_ref, read)
    return read
  }

  const readAll: OrderReading['readAll'] = async (orderRefs) => {
    const known = new Map(orderRefs.map((orderRef) => [orderRef, remembered.get(orderRef)]))
    const revisions = [...known.values()].map((read) => read?.order.revision ?? null)
    const rows = await query<Row>(READ, [...known.keys()], revisions)
    return new Map(rows.map((row) => [row.order_ref, () => orderOf(row, known.get(row.order_ref))]))
  }

  const readTogether = batching(isUuid, readAll, TOGETHER)

  return {
    readAll,
    read: async (orderRef) => (await readTogether(orderRef))?.(),
    recall: (orderRef) => (share < MOSTLY ? undefined : remembered.get(orderRef)),
    stood: () => note(true),
    remember: (order, key) => remembered.set(order.placed.orderRef, { order, key }),
    clear: remembered.clear,
  }
}
