// Reads orders and the payloads of jobs from SQLite. The revision grows with every write, so it shows
// whether a cached order is current.
import type { Order } from '@plazo/core'
import { type EffectPayload, effectKeyParts } from '@plazo/core/ports'
import { AAD_PLACED, aadForPayload, aadForSnapshot } from '../encryption/cipher.ts'
import {
  parsePlaced,
  parseSnapshot,
  parseUnencryptedPayload,
  withOrderRef,
} from '../sql/decode-order-row.ts'
import { createOrderCache } from '../sql/order-cache.ts'
import type { StoredOrder } from '../sql/order-writes.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { throwUnavailable } from './unavailable.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

type PayloadRow = { readonly order_id: number; readonly work: Buffer | string }

export const ORDER = 'select id, order_ref, revision, snapshot from orders'

export type OrderReader = ReturnType<typeof createOrderReader>

/** The `row` of an order is its row number. */
export const createOrderReader = (db: Database, dataKeys: DataKeys) => {
  const readByRef = db.prepare<[string], OrderRow>(`${ORDER} where order_ref = ?`)
  // Transferring a row is most of the cost of reading it, so the check reads only the revision.
  const revisionOf = db
    .prepare<[number], number>('select revision from orders where id = ?')
    .pluck()
  const readPlacement = db
    .prepare<[number], Buffer>('select placed from placements where order_id = ?')
    .pluck()
  const readPayload = db.prepare<[number], PayloadRow>(
    'select order_id, work from outbox where id = ?',
  )

  const cache = createOrderCache<number>()
  dataKeys.onInvalidate(cache.clear)

  const orderOf = ({ id, order_ref, revision, snapshot }: OrderRow): Order => {
    const cached = cache.get(order_ref)
    if (cached?.order.revision === revision) return cached.order
    const order = withOrderRef(order_ref, () => {
      const placed = readPlacement.get(id)
      if (placed === undefined) throw new Error('The placement of the order is missing.')
      return {
        placed: parsePlaced(dataKeys.decrypt(id, AAD_PLACED, placed)),
        revision,
        ...parseSnapshot(dataKeys.decrypt(id, aadForSnapshot(revision), snapshot)),
      }
    })
    cache.add({ row: id, order })
    return order
  }

  /** The committed order. Throws if it cannot be decrypted. */
  const read = (orderRef: string): StoredOrder<number> | undefined => {
    const cached = cache.get(orderRef)
    if (cached !== undefined) {
      const isCurrent = revisionOf.get(cached.row) === cached.order.revision
      cache.noteCurrent(isCurrent)
      if (isCurrent) return cached
    }
    const row = readByRef.get(orderRef)
    return row && { row: row.id, order: orderOf(row) }
  }

  const decryptPayload = (id: number, key: string): EffectPayload => {
    const row = readPayload.get(id)
    if (row === undefined) throw new Error('The payload of the job is missing.')
    if (typeof row.work === 'string') return parseUnencryptedPayload(row.work)
    const { revision, lane } = effectKeyParts(key)
    return JSON.parse(
      dataKeys.decrypt(row.order_id, aadForPayload(revision, lane), row.work),
    ) as EffectPayload
  }

  return {
    cache,
    read,
    /** As `OrderDatabase.readOrders`. */
    readOrders: async (orderRefs: readonly string[]) =>
      new Map(
        orderRefs.flatMap((orderRef) => {
          const stored = throwUnavailable(() => read(orderRef))
          return stored === undefined ? [] : [[orderRef, () => stored] as const]
        }),
      ),
    orderOf,
    /**
     * The payload of a job. `id`: its row number. Throws if it is missing, or was not encrypted for
     * this place.
     */
    payloadOf: ({ id, key }: { readonly id: number; readonly key: string }): EffectPayload =>
      cache.payloadOf(key) ?? throwUnavailable(() => decryptPayload(id, key)),
  }
}
