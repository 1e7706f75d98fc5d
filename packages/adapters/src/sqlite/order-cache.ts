// Reads orders from their rows: decrypts, decodes and caches them. The revision, which grows with every write, shows whether
// a cached order is current.
import type { Order } from '@plazo/core'
import { AAD_PLACED, aadForSnapshot } from '../sql/associated-data.ts'
import { parsePlaced, parseSnapshot, withOrderRef } from '../sql/decode-order-row.ts'
import { createLruCache } from '../sql/lru-cache.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

/** `id`: the order's row number. */
export type CachedOrder = { readonly id: number; readonly order: Order }

export const ORDER = 'select id, order_ref, revision, snapshot from orders'

export const UPDATE_ORDER =
  'update orders set revision = ?, snapshot = ?, held_reference = ?, last_line = ? where id = ?'

type OrderCache = {
  /** The order as this process last saw it, if it is cached. It may have changed since. */
  readonly cached: (orderRef: string) => CachedOrder | undefined
  /** The committed order. */
  readonly read: (orderRef: string) => CachedOrder | undefined
  readonly orderOf: (row: OrderRow) => Order
  /** Caches an order after its commit. */
  readonly cache: (cached: CachedOrder) => void
}

// As many as the data keys that are cached. The first steps of a checkout follow each other within minutes.
const CACHE_HALF = 16_000

export const createOrderCache = (db: Database, dataKeys: DataKeys): OrderCache => {
  const readByRef = db.prepare<[string], OrderRow>(`${ORDER} where order_ref = ?`)
  // Transferring a row is most of the cost of reading it, so the check reads only the revision.
  const revisionOf = db.prepare<[number], number>('select revision from orders where id = ?').pluck()
  const readPlacement = db.prepare<[number], Buffer>('select placed from placements where order_id = ?').pluck()

  const memory = createLruCache<string, CachedOrder>(CACHE_HALF)
  dataKeys.onInvalidate(memory.clear)

  const cache = (cached: CachedOrder): void => memory.set(cached.order.placed.orderRef, cached)

  const isCurrent = ({ id, order }: CachedOrder): boolean => revisionOf.get(id) === order.revision

  const orderOf = ({ id, order_ref, revision, snapshot }: OrderRow): Order => {
    const cached = memory.get(order_ref)
    if (cached?.order.revision === revision) return cached.order
    const order = withOrderRef(order_ref, () => {
      const moving = parseSnapshot(dataKeys.decrypt(id, aadForSnapshot(revision), snapshot))
      const placedBlob = readPlacement.get(id)
      if (placedBlob === undefined) throw new Error('The placement of the order is missing.')
      return { placed: parsePlaced(dataKeys.decrypt(id, AAD_PLACED, placedBlob)), revision, ...moving }
    })
    cache({ id, order })
    return order
  }

  return {
    cached: memory.get,
    read: (orderRef) => {
      const cached = memory.get(orderRef)
      if (cached !== undefined && isCurrent(cached)) return cached
      const row = readByRef.get(orderRef)
      return row && { id: row.id, order: orderOf(row) }
    },
    orderOf,
    cache,
  }
}
