// Records in both SQL stores. Those that are added at once are written by one statement. If the
// shopper's data was erased meanwhile, and with it the data key, nothing is written under that key.
import type { RecordFilter, Records, StoredRecord } from '@plazo/core/ports'
import {
  aadForRecord,
  type DataKey,
  decrypt,
  encrypt,
  RECORDS_WITHOUT_ORDER,
  recordKey,
} from '../encryption/cipher.ts'
import type { KeyedHash } from '../encryption/master-keys.ts'
import { batchCalls } from './batch-calls.ts'
import { type Dialect, KEY, type KeyRow, keyOf, openValue, orderIdOf } from './dialect.ts'

type Asked = { readonly kind: string; readonly key: string }
type RecordRow = KeyRow & Omit<StoredRecord, 'value'> & { readonly content: Buffer }

const BATCH_MAX = 128

export const createRecords = (dialect: Dialect, keyedHash: KeyedHash): Records => {
  const { schema, query, orUnavailable } = dialect
  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const orderMissingError = (orderRef: string | null): Error =>
    new Error(`Order ${orderRef} does not exist, or its shopper was erased.`)

  const findKey = async (orderRef: string): Promise<DataKey> => {
    const cached = dialect.sealer.knownKey(orderRef)
    if (cached !== undefined) return cached
    const [row] = await query<KeyRow>(
      (bind) =>
        `select ${KEY} from ${schema}data_keys k where k.order_id = ${orderIdOf(dialect, orderRef, bind)}`,
      'records-key',
    )
    if (row === undefined) throw orderMissingError(orderRef)
    return dialect.sealer.openKey(orderRef, keyOf(row))
  }

  const encryptRecord = async ({ value, ...record }: Omit<StoredRecord, 'id'>) => {
    const dataKey = record.orderRef === null ? keyOfOthers : await findKey(record.orderRef)
    const content = encrypt(dataKey, aadForRecord(record), JSON.stringify(value)).toString('hex')
    return { ...record, tag: dataKey.tag, content }
  }
  type EncryptedRecord = Awaited<ReturnType<typeof encryptRecord>>

  // On PostgreSQL writers take turns, so that a record with a smaller id is never seen after one with
  // a greater id.
  const insert = (records: readonly EncryptedRecord[]) =>
    dialect.write<{ readonly id: number; readonly content: Uint8Array }>([
      (bind) => `
        insert into ${schema}records (kind, key, order_id, merchant_ref, at, content)
        select value ->> 'kind', value ->> 'key', k.order_id, value ->> 'merchantRef',
          cast(value ->> 'at' as bigint), ${dialect.bytesOf("value ->> 'content'")}
        from ${dialect.jsonElements}(${bind(JSON.stringify(records))})
        left join ${schema}orders o on o.order_ref = ${dialect.orderRefOf("value ->> 'orderRef'")}
        left join ${schema}data_keys k on k.order_id = o.id and k.tag = cast(value ->> 'tag' as bigint)
        where ${dialect.takeTurn} and (value ->> 'orderRef' is null or k.order_id is not null)
        on conflict (kind, key) where key is not null do update set
          id = excluded.id, order_id = excluded.order_id, merchant_ref = excluded.merchant_ref,
          at = excluded.at, content = excluded.content
        returning id, content`,
    ])

  /** Returns each record's id. Undefined: its order's data key was destroyed. */
  const writeAll = async (
    records: readonly EncryptedRecord[],
  ): Promise<readonly (number | undefined)[]> => {
    const rows = await insert(records)
    // Another thread returns plain bytes.
    const ids = new Map(rows.map(({ id, content }) => [Buffer.from(content).toString('hex'), id]))
    return records.map(({ content }) => ids.get(content))
  }
  const addBatched = batchCalls(writeAll, BATCH_MAX)

  // The sum keeps PostgreSQL from walking all records by their id.
  const select = (columns: string, from: string, where = 'true'): string => `
    select ${columns}r.id, r.kind, r.key, o.order_ref as "orderRef", r.merchant_ref as "merchantRef", r.at, r.content, ${KEY}
    from ${from} left join ${schema}orders o on o.id = r.order_id
    left join ${schema}data_keys k on k.order_id = r.order_id
    where ${where} order by r.id + 0`

  // The range has an index. A slash is the character before 0.
  const readByKey = batchCalls(async (asked: readonly Asked[]) => {
    const json = JSON.stringify(asked.map((each, place) => ({ ...each, place })))
    const rows = await query<RecordRow & { readonly place: number }>(
      (bind) =>
        select(
          'place, ',
          `(select value ->> 'kind' as kind, value ->> 'key' as key, cast(value ->> 'place' as integer) as place
            from ${dialect.jsonElements}(${bind(json)})) a join ${schema}records r on r.kind = a.kind
            and r.key >= a.key and r.key < a.key || '0' and (r.key = a.key or r.key > a.key || '/')`,
        ),
      'records-of-keys',
    )
    const found = Map.groupBy(rows, ({ place }) => place)
    return asked.map((_, place) => found.get(place) ?? [])
  }, BATCH_MAX)

  const read = (filter: RecordFilter): Promise<readonly RecordRow[]> => {
    if ('orderRef' in filter)
      return query(
        (bind) =>
          select(
            '',
            `${schema}records r`,
            `r.order_id = ${orderIdOf(dialect, filter.orderRef, bind)}`,
          ),
        'records-of-order',
      )
    const { kind } = filter
    if (filter.key !== undefined) return readByKey({ kind, key: filter.key })
    return query(
      (bind) => select('', `${schema}records r`, `r.kind = ${bind(kind)}`),
      'records-of-kind',
    )
  }

  const toRecord = (row: RecordRow): StoredRecord => {
    const { id, kind, key, orderRef, merchantRef, at, content } = row
    const aad = aadForRecord(row)
    const text =
      orderRef === null
        ? decrypt(keyOfOthers, aad, content)
        : openValue(dialect, orderRef, row, aad, content)
    return { id, kind, key, orderRef, merchantRef, at, value: JSON.parse(text) }
  }

  const store = (
    record: Omit<StoredRecord, 'id'>,
    write: (encrypted: EncryptedRecord) => Promise<number | undefined>,
  ) =>
    orUnavailable(async () => {
      const id = await write(await encryptRecord(record))
      if (id === undefined) throw orderMissingError(record.orderRef)
      return id
    })

  return {
    add: (record) => store({ ...record, key: null }, addBatched),

    // Not with others, because one statement cannot replace a record twice.
    put: (record) => store(record, async (encrypted) => (await writeAll([encrypted]))[0]),

    list: (filter) =>
      orUnavailable(async () => {
        const rows = await read(filter)
        const isListed = ({ kind }: RecordRow) => (filter.kind ?? kind) === kind
        return rows.filter(isListed).map(toRecord)
      }),

    remove: (kind, key) =>
      orUnavailable(async () => {
        await dialect.write([
          (bind) =>
            `delete from ${schema}records where kind = ${bind(kind)} and key = ${bind(key)} returning 1`,
        ])
      }),

    hash: (text) => keyedHash(text).toString('hex'),
  }
}
