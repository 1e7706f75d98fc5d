// Reads orders from their rows: decrypts, decodes and caches them. The revision, which grows with every write, shows whether
// a cached order is current.
import type { Order } from '@plazo/core'
import { placedFrom, readingOf, snapshotFrom } from '../rows/kept-order.ts'
import { memoryOfRows } from '../rows/memory-of-rows.ts'
import { PLACED, placeOfSnapshot } from '../rows/places.ts'
import type { Database } from './database.ts'
import type { Vault } from './vault.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

/** `id`: the order's row number. */
export type KnownOrder = { readonly id: number; readonly order: Order }

export const ORDER = 'select id, order_ref, revision, snapshot from orders'

export const UPDATE_ORDER =
  'update orders set revision = ?, snapshot = ?, held_reference = ?, last_line = ? where id = ?'

export type OrderRows = {
  /** The order as this process last saw it, if it is cached. It may have changed since. */
  readonly known: (orderRef: string) => KnownOrder | undefined
  /** True if it has not changed. */
  readonly stands: (known: KnownOrder) => boolean
  /** The committed order. */
  readonly read: (orderRef: string) => KnownOrder | undefined
  readonly orderOf: (row: OrderRow) => Order
  /** Caches an order after its commit. */
  readonly remember: (known: KnownOrder) => void
}

// As many as the vault caches keys. The first steps of a checkout follow each other within minutes.
const REMEMBERED_HALF = 16_000

export const orderRows = (db: Database, vault: Vault): OrderRows => {
  const readByRef = db.prepare<[string], OrderRow>(`${ORDER} where order_ref = ?`)
  // Transferring a row is most of the cost of reading it, so the check reads only the revision.
  const revisionOf = db.prepare<[number], number>('select revision from orders where id = ?').pluck()
  const readPlacement = db.prepare<[number], Buffer>('select placed from placements where order_id = ?').pluck()

  const memory = memoryOfRows<string, KnownOrder>(REMEMBERED_HALF)
  vault.onForget(memory.clear)

  const remember = (known: KnownOrder): void => memory.set(known.order.placed.orderRef, known)

  const stands = ({ id, order }: KnownOrder): boolean => revisionOf.get(id) === order.revision

  const orderOf = ({ id, order_ref, revision, snapshot }: OrderRow): Order => {
    const known = memory.get(order_ref)
    if (known?.order.revision === revision) return known.order
    const order = readingOf(order_ref, () => {
      const moving = snapshotFrom(vault.open(id, placeOfSnapshot(revision), snapshot))
      const kept = readPlacement.get(id)
      if (kept === undefined) throw new Error('It is not known how the order was placed.')
      return { placed: placedFrom(vault.open(id, PLACED, kept)), revision, ...moving }
    })
    remember({ id, order })
    return order
  }

  return {
    known: memory.get,
    stands,
    read: (orderRef) => {
      const known = memory.get(orderRef)
      if (known !== undefined && stands(known)) return known
      const row = readByRef.get(orderRef)
      return row && { id: row.id, order: orderOf(row) }
    },
    orderOf,
    remember,
  }
}
