// Reads orders from PostgreSQL, many in one statement. An order never changes at a given revision.
// So an order that is cached at its current revision is neither read nor decrypted again.
import type { Placed } from '@plazo/core'
import { UnavailableError } from '@plazo/core/ports'
import { AAD_PLACED, aadForSnapshot, type DataKey } from '../encryption/cipher.ts'
import { batchReads } from '../sql/batch-reads.ts'
import { parsePlaced, parseSnapshot, withOrderRef } from '../sql/decode-order-row.ts'
import { createOrderCache, type OrderCache } from '../sql/order-cache.ts'
import type { StoredOrder } from '../sql/order-writes.ts'
import { type Connection, statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { isUuid } from './sql/values.ts'
import { postgresUnavailable } from './unavailable.ts'

export type OrderReader = ReturnType<typeof createOrderReader>

type Row = {
  readonly order_ref: string
  readonly revision: number
  readonly snapshot: Buffer | null
  readonly placed: Buffer | null
} & { readonly [column in keyof KeyColumns]: KeyColumns[column] | null }

export const READ = statement('orders-read')`
  select k.order_ref, o.revision, n.snapshot, p.placed, d.key_id, d.tag, d.ciphertext
  from unnest($1::uuid[], $2::integer[]) as k(order_ref, revision)
  cross join lateral (select id, revision from plazo.orders o where o.order_ref = k.order_ref limit 1) o
  left join lateral (
    select snapshot from plazo.snapshots n
    where n.order_id = o.id and o.revision is distinct from k.revision limit 1) n on true
  left join lateral (
    select placed from plazo.placements p
    where p.order_id = o.id and o.revision is distinct from k.revision limit 1) p on true
  left join lateral (
    select key_id, tag, ciphertext from plazo.data_keys d
    where d.order_id = o.id and o.revision is distinct from k.revision limit 1) d on true`

const BATCH_MAX = 200

/** The `row` of an order is the data key that encrypts what is written for it. */
export const createOrderReader = (
  { query }: Connection,
  dataKeys: DataKeys,
  cache: OrderCache<DataKey> = createOrderCache(),
) => {
  // A different data key means that the shopper's data was erased, so the cached `placed` is no
  // longer valid.
  const placedOf = (orderRef: string, columns: KeyColumns, placed: Buffer): Placed => {
    const cached = cache.get(orderRef)
    return cached?.row.tag === columns.tag
      ? cached.order.placed
      : parsePlaced(dataKeys.decrypt(orderRef, columns, AAD_PLACED, placed))
  }

  const orderOf = (row: Row, cached: StoredOrder<DataKey> | undefined): StoredOrder<DataKey> => {
    const { order_ref, revision, snapshot, placed, key_id, tag, ciphertext } = row
    if (cached !== undefined) cache.noteCurrent(cached.order.revision === revision)
    if (cached?.order.revision === revision) return cached
    const read = withOrderRef(order_ref, () => {
      if (
        snapshot === null ||
        placed === null ||
        key_id === null ||
        tag === null ||
        ciphertext === null
      )
        throw new Error('Rows of the order are missing.')
      const columns = { key_id, tag, ciphertext }
      const order = {
        placed: placedOf(order_ref, columns, placed),
        revision,
        ...parseSnapshot(dataKeys.decrypt(order_ref, columns, aadForSnapshot(revision), snapshot)),
      }
      return { order, row: dataKeys.decryptKeyColumns(order_ref, columns) }
    })
    cache.add(read)
    return read
  }

  // If the database does not answer, a retry may help, unlike with an order that cannot be
  // decrypted.
  const readRows = async (orderRefs: readonly string[], revisions: readonly (number | null)[]) => {
    try {
      return await query<Row>(READ, orderRefs, revisions)
    } catch (cause) {
      throw new UnavailableError(postgresUnavailable(cause))
    }
  }

  const readAll = async (
    orderRefs: readonly string[],
  ): Promise<ReadonlyMap<string, () => StoredOrder<DataKey>>> => {
    const cached = new Map(orderRefs.map((orderRef) => [orderRef, cache.get(orderRef)]))
    const revisions = [...cached.values()].map((read) => read?.order.revision ?? null)
    const rows = await readRows([...cached.keys()], revisions)
    return new Map(
      rows.map((row) => [row.order_ref, () => orderOf(row, cached.get(row.order_ref))]),
    )
  }

  const readBatched = batchReads(isUuid, readAll, BATCH_MAX)

  return {
    cache,
    /** As `OrderDatabase.readOrders`. Concurrent reads share a statement. */
    readOrders: async (orderRefs: readonly string[]) => {
      const read = await Promise.all(orderRefs.map(readBatched))
      return new Map(
        orderRefs.flatMap((orderRef, n) => {
          const stored = read[n]
          return stored === undefined ? [] : [[orderRef, stored] as const]
        }),
      )
    },
  }
}
