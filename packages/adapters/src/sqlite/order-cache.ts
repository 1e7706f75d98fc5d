// Keeps in memory what this process has decrypted or decided: orders, and the payloads of their
// jobs. Each checkout takes several steps within minutes, and most jobs are due at once, so most of
// them need no decryption.
import type { Effect, Order } from '@plazo/core'
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
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'

export type OrderRow = {
  readonly id: number
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer
}

type PayloadRow = { readonly order_id: number; readonly work: Buffer | string }

/** `id`: the order's row number. */
export type CachedOrder = { readonly id: number; readonly order: Order }

export const ORDER = 'select id, order_ref, revision, snapshot from orders'

const SET_ORDER = 'revision = ?, snapshot = ?, held_reference = ?, last_line = ?'

/** The columns of an order's facts. */
export const FACTS = [
  ...['checkout', 'lasting', 'changed_at', 'facts_revision', 'risk', 'cancellation', 'product'],
  ...['amount', 'placed_at', 'search_1', 'search_2'],
]
export const SET_FACTS = FACTS.map((column) => `${column} = ?`).join(', ')

export const UPDATE_ORDER = `update orders set ${SET_ORDER}, ${SET_FACTS} where id = ?`

/**
 * Without the details of the facts, because binding them is a large part of the cost. If a former
 * version wrote the row last, its facts stay outdated.
 */
export const UPDATE_PROGRESS = `
  update orders set ${SET_ORDER}, checkout = ?, lasting = ?, changed_at = ?,
    facts_revision = iif(facts_revision = revision, ?, facts_revision) where id = ?`

// The revision grows with every write, so it shows whether a cached order is current.
export type OrderCache = Pick<OrderSource<CachedOrder>, 'cached' | 'cache' | 'removePayload'> & {
  /** The committed order. */
  readonly read: (orderRef: string) => CachedOrder | undefined
  readonly orderOf: (row: OrderRow) => Order
  /** Caches an order after its commit, and the payloads of the jobs that were committed with it. */
  readonly add: (cached: CachedOrder, effects: readonly Effect[]) => void
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

  const add: OrderCache['add'] = (cached, effects) => {
    cacheOrder(cached)
    payloads.add(effects)
  }

  const isCurrent = ({ id, order }: CachedOrder): boolean => revisionOf.get(id) === order.revision

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
    cacheOrder({ id, order })
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
      return row && { id: row.id, order: orderOf(row) }
    },
    orderOf,
    add,
    cache: ({ order, effects }, { on }) => add({ id: on.id, order }, effects),
    payloadOf: (job) => payloads.get(job.key) ?? decryptPayload(job),
    removePayload: payloads.remove,
  }
}
