// Reads orders from PostgreSQL, many in one statement. An order never changes at a given revision. So an order that is cached
// at its current revision is neither read nor decrypted again.
import type { Order, Placed } from '@plazo/core'
import { placedFrom, readingOf, snapshotFrom } from '../rows/kept-order.ts'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { PLACED, placeOfSnapshot } from '../rows/places.ts'
import type { DataKey } from '../sealing/sealer.ts'
import { batching } from './batching.ts'
import { type Connection, isUuid, type Statement } from './connection.ts'
import type { KeyColumns, Vault } from './vault.ts'

/** The current order, and the data key that encrypts what is written for it. */
export type ReadOrder = { readonly order: Order; readonly key: DataKey }

export type OrderReading = {
  /** Returns a function for each existing order. It throws if its order cannot be decrypted; the others are not affected. */
  readonly readAll: (orderRefs: readonly string[]) => Promise<ReadonlyMap<string, () => ReadOrder>>
  /** The same for one order. Concurrent calls share a statement. */
  readonly read: (orderRef: string) => Promise<ReadOrder | undefined>
  /** The cached order, if cached orders are mostly still current. Other servers may have changed it since. */
  readonly recall: (orderRef: string) => ReadOrder | undefined
  /** Reports that a recalled order was still current. If it was not, the order is read again and this reader notices that. */
  readonly stood: () => void
  /** Caches an order that has just been written. */
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

// A decision on an outdated order is wasted, which costs more than reading first. So cached orders are used only while at
// least this share of the last few dozen was still current.
const MOSTLY = 0.9
const OF_LATE = 64

export const orderReading = ({ query }: Connection, vault: Vault): OrderReading => {
  const remembered = memoryOfRows<string, ReadOrder>(REMEMBERED_HALF)
  let share = 1

  const note = (hasStood: boolean): void => {
    share += (Number(hasStood) - share) / OF_LATE
  }

  // A different data key means that the shopper's data was erased, so the cached `placed` is no longer valid.
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
