// Records in PostgreSQL. They are added, and looked up by key, many in one statement. If the
// shopper's data was erased meanwhile, and with it the data key, nothing is written under that key.
import type { Records, StoredRecord } from '@plazo/core/ports'
import {
  aadForRecord,
  type DataKey,
  decrypt,
  encrypt,
  RECORDS_WITHOUT_ORDER,
  recordKey,
} from '../encryption/cipher.ts'
import type { KeyedHash } from '../encryption/master-keys.ts'
import { batchCalls, batchReads } from '../sql/batch-reads.ts'
import { type Connection, statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { bytes, encodeNumbered, isUuid } from './sql/values.ts'
import { answerOrUnavailable } from './unavailable.ts'

type KeyRow = KeyColumns & { readonly order_ref: string }
type RecordRow = KeyColumns & Omit<StoredRecord, 'value'> & { readonly content: Buffer }

const READ_KEYS = statement('data-keys')`
  select o.order_ref, k.key_id, k.tag, k.ciphertext from unnest($1::uuid[]) as r(order_ref)
  cross join lateral (select id, order_ref from plazo.orders o where o.order_ref = r.order_ref limit 1) o
  cross join lateral (select key_id, tag, ciphertext from plazo.data_keys k where k.order_id = o.id limit 1) k`

// Writers take turns, so that a record with a smaller id is never seen after one with a greater id.
// The limit keeps the planner from reading all data keys.
const WRITE = statement('records-write')`
  with turn as materialized (select pg_advisory_xact_lock(hashtext('plazo.records'))),
  job as materialized (
    select j.*, k.order_id, nextval('plazo.records_id_seq') as id
    from turn, json_to_recordset($1) as j(
      n integer, kind text, key text, order_ref uuid, tag bigint, merchant_ref text, at bigint, content text)
    left join lateral (
      select k.order_id from plazo.orders o join plazo.data_keys k on k.order_id = o.id
      where o.order_ref = j.order_ref and k.tag = j.tag limit 1) k on true
    where j.order_ref is null or k.order_id is not null),
  written_records as (
    insert into plazo.records (id, kind, key, order_id, merchant_ref, at, content)
    select id, kind, key, order_id, merchant_ref, at, ${bytes('content')} from job order by id
    on conflict (kind, key) where key is not null do update set
      id = excluded.id, order_id = excluded.order_id, merchant_ref = excluded.merchant_ref,
      at = excluded.at, content = excluded.content)
  select n, id from job`

const REMOVE = statement('record-remove')`
  delete from plazo.records where kind = $1 and key = $2`

const COLUMNS = `r.id, r.kind, r.key, o.order_ref as "orderRef", r.merchant_ref as "merchantRef", r.at, r.content,
  k.key_id, k.tag, k.ciphertext`
const RECORDS = `plazo.records r left join plazo.orders o on o.id = r.order_id
  left join plazo.data_keys k on k.order_id = r.order_id`

const LIST_ORDER = statement('records-of-order')`
  select ${COLUMNS} from ${RECORDS} where r.kind = $1 and r.order_id = (select id from plazo.orders where order_ref = $2) order by r.id`

// Few kinds are read as a whole. The sum keeps the planner from walking all records by their id.
const LIST_KIND = statement('records-of-kind')`
  select ${COLUMNS} from ${RECORDS} where r.kind = $1 order by r.id + 0`

// The range has an index. The limit keeps the planner from reading all records of a kind for it.
const LIST_KEYS = statement('records-of-keys')`
  select j.n, r.* from rows from (unnest($1::text[]), unnest($2::text[])) with ordinality as j(kind, key, n)
  cross join lateral (
    select ${COLUMNS} from ${RECORDS}
    where r.kind = j.kind and r.key >= j.key collate "C" and r.key < j.key || '0' collate "C"
      and starts_with(r.key || '/', j.key || '/')
    order by r.id limit 1000000) r`

const BATCH_MAX = 128

export const postgresRecords = (
  { query }: Connection,
  dataKeys: DataKeys,
  keyedHash: KeyedHash,
): Records => {
  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const orderMissingError = (orderRef: string | null): Error =>
    new Error(`Order ${orderRef} does not exist, or its shopper was erased.`)

  const readKey = batchReads(
    isUuid,
    async (orderRefs) => {
      const rows = await query<KeyRow>(READ_KEYS, orderRefs)
      return new Map(rows.map((row) => [row.order_ref, row]))
    },
    BATCH_MAX,
  )

  const findKey = async (orderRef: string): Promise<DataKey> => {
    const cached = dataKeys.cachedKey(orderRef)
    if (cached !== undefined) return cached
    const row = await readKey(orderRef)
    if (row === undefined) throw orderMissingError(orderRef)
    return dataKeys.decryptKeyColumns(orderRef, row)
  }

  const encryptRecord = async (record: Omit<StoredRecord, 'id'>) => {
    const { kind, key, orderRef, merchantRef, at, value } = record
    const dataKey = orderRef === null ? keyOfOthers : await findKey(orderRef)
    const content = encrypt(dataKey, aadForRecord(record), JSON.stringify(value)).toString('base64')
    const { tag } = dataKey
    return { kind, key, order_ref: orderRef, tag, merchant_ref: merchantRef, at, content }
  }
  type EncryptedRecord = Awaited<ReturnType<typeof encryptRecord>>

  /** Returns each record's id. Undefined: its order's data key was destroyed. */
  const writeAll = async (
    records: readonly EncryptedRecord[],
  ): Promise<readonly (number | undefined)[]> => {
    const rows = await query<{ readonly n: number; readonly id: number }>(
      WRITE,
      encodeNumbered(records),
    )
    const ids = new Map(rows.map(({ n, id }) => [n, id]))
    return records.map((_, n) => ids.get(n))
  }
  const addBatched = batchCalls(writeAll, BATCH_MAX)

  const toRecord = (row: RecordRow): StoredRecord => {
    const { id, kind, key, orderRef, merchantRef, at, content } = row
    const aad = aadForRecord(row)
    const value =
      orderRef === null
        ? decrypt(keyOfOthers, aad, content)
        : dataKeys.decrypt(orderRef, row, aad, content)
    return { id, kind, key, orderRef, merchantRef, at, value: JSON.parse(value) }
  }

  // No kind contains a space.
  const listKey = batchReads(
    () => true,
    async (names) => {
      const kinds = names.map((name) => name.slice(0, name.indexOf(' ')))
      const keys = names.map((name) => name.slice(name.indexOf(' ') + 1))
      const rows = await query<RecordRow & { readonly n: number }>(LIST_KEYS, kinds, keys)
      return Map.groupBy(rows, ({ n }) => names[n - 1] ?? '')
    },
    BATCH_MAX,
  )

  return {
    add: (record) =>
      answerOrUnavailable(async () => {
        const id = await addBatched(await encryptRecord({ ...record, key: null }))
        if (id === undefined) throw orderMissingError(record.orderRef)
        return id
      }),

    put: (record) =>
      answerOrUnavailable(async () => {
        const [id] = await writeAll([await encryptRecord(record)])
        if (id === undefined) throw orderMissingError(record.orderRef)
        return id
      }),

    list: (filter) =>
      answerOrUnavailable(async () => {
        const { kind } = filter
        const read = (): Promise<readonly RecordRow[]> => {
          if ('orderRef' in filter)
            return isUuid(filter.orderRef)
              ? query(LIST_ORDER, kind, filter.orderRef)
              : Promise.resolve([])
          return filter.key === undefined
            ? query(LIST_KIND, kind)
            : listKey(`${kind} ${filter.key}`).then((rows = []) => rows)
        }
        return (await read()).map(toRecord)
      }),

    remove: (kind, key) => answerOrUnavailable(async () => void (await query(REMOVE, kind, key))),
    hash: (text) => keyedHash(text).toString('hex'),
  }
}
