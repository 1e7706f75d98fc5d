// Keeps in memory what this process has decrypted or decided: orders, and the payloads of their
// jobs. Each checkout takes several steps within minutes, and most jobs are due at once, so most of
// them need no decryption.
import type { Order } from '@plazo/core'
import { type EffectPayload, effectKeyParts } from '@plazo/core/ports'
import { LRUCache } from 'lru-cache'
import { AAD_PLACED, aadForPayload, aadForSnapshot } from '../encryption/cipher.ts'
import {
  parsePlaced,
  parseSnapshot,
  parseUnencryptedPayload,
  withOrderRef,
} from '../sql/decode-order-row.ts'
import { createPayloadCache, type OrderSource } from '../sql/order-jobs.ts'
import type { StoredOrder } from '../sql/order-writes.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

type PayloadRow = { readonly order_id: number; readonly work: Buffer | string }

/** `row`: its row number. */
export type CachedOrder = StoredOrder<number>

export const ORDER = 'select id, order_ref, revision, snapshot from orders'

// The revision grows with every write, so it shows whether a cached order is current.
export type OrderCache = Pick<OrderSource<number>, 'cached' | 'cache' | 'removePayload'> & {
  /** The committed order. */
  readonly read: (orderRef: string) => CachedOrder | undefined
  readonly orderOf: (row: OrderRow) => Order
  /**
   * The payload of a job. `id`: its row number. Throws if it is missing, or was not encrypted for
   * this place.
   */
  readonly payloadOf: (job: { readonly id: number; readonly key: string }) => EffectPayload
}

// As many as the data keys that are cached. The first steps of a checkout follow each other within
// minutes.
const ORDERS_MAX = 24_000

export const createOrderCache = (db: Database, dataKeys: DataKeys): OrderCache => {
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

  const memory = new LRUCache<string, CachedOrder>({ max: ORDERS_MAX })
  const payloads = createPayloadCache()
  dataKeys.onInvalidate(() => {
    memory.clear()
    payloads.clear()
  })

  const cacheOrder = (cached: CachedOrder): void => {
    memory.set(cached.order.placed.orderRef, cached)
  }

  const isCurrent = ({ row, order }: CachedOrder): boolean => revisionOf.get(row) === order.revision

  const orderOf = ({ id, order_ref, revision, snapshot }: OrderRow): Order => {
    const cached = memory.get(order_ref)
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
    cacheOrder({ row: id, order })
    return order
  }

  const decryptPayload: OrderCache['payloadOf'] = ({ id, key }) => {
    const row = readPayload.get(id)
    if (row === undefined) throw new Error('The payload of the job is missing.')
    if (typeof row.work === 'string') return parseUnencryptedPayload(row.work)
    const { revision, lane } = effectKeyParts(key)
    return JSON.parse(
      dataKeys.decrypt(row.order_id, aadForPayload(revision, lane), row.work),
    ) as EffectPayload
  }

  return {
    cached: (orderRef) => memory.get(orderRef),
    read: (orderRef) => {
      const cached = memory.get(orderRef)
      if (cached !== undefined && isCurrent(cached)) return cached
      const row = readByRef.get(orderRef)
      return row && { row: row.id, order: orderOf(row) }
    },
    orderOf,
    cache: ({ order, effects }, row) => {
      cacheOrder({ row, order })
      payloads.add(effects)
    },
    payloadOf: (job) => payloads.get(job.key) ?? decryptPayload(job),
    removePayload: payloads.remove,
  }
}
