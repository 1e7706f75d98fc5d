// Reads records from SQLite, and has the writer, which may run in another thread, write them.
import type { RecordFilter, Records, StoredRecord } from '@plazo/core/ports'
import { aadForRecord, decrypt, RECORDS_WITHOUT_ORDER, recordKey } from '../encryption/cipher.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { loadKeyedHash } from './encryption/master-keys.ts'
import type { Database } from './schema/database.ts'
import { valueOrUnavailable } from './unavailable.ts'
import type { RunCommand } from './writer/commands.ts'

type RecordRow = Omit<StoredRecord, 'value'> & {
  readonly orderId: number | null
  readonly content: Buffer
}

// The range has an index.
const KEY = `r.key >= @key and r.key < @key || '0'
  and substr(r.key || '/', 1, length(@key) + 1) = @key || '/'`

export const sqliteRecords = (
  db: Database,
  runCommand: RunCommand,
  dataKeys: DataKeys,
): Records => {
  const prepareList = (condition: string) =>
    db.prepare<[object], RecordRow>(`
      select r.id, r.kind, r.key, r.order_id as orderId, o.order_ref as orderRef,
        r.merchant_ref as merchantRef, r.at, r.content
      from records r left join orders o on o.id = r.order_id
      where r.kind = @kind and ${condition} order by r.id`)
  const ofKind = prepareList('true')
  const ofKey = prepareList(KEY)
  const ofOrder = prepareList('r.order_id = (select id from orders where order_ref = @orderRef)')
  const keyedHash = loadKeyedHash(db, dataKeys.cipher)
  const keyOfOthers = recordKey(keyedHash(RECORDS_WITHOUT_ORDER))

  const statementFor = (filter: RecordFilter) => {
    if ('orderRef' in filter) return ofOrder
    return filter.key === undefined ? ofKind : ofKey
  }

  const decryptContent = ({ orderId, content, ...record }: RecordRow): string => {
    const aad = aadForRecord(record)
    return orderId === null
      ? decrypt(keyOfOthers, aad, content)
      : dataKeys.decrypt(orderId, aad, content)
  }

  const toRecord = (row: RecordRow): StoredRecord => {
    const { id, kind, key, orderRef, merchantRef, at } = row
    return { id, kind, key, orderRef, merchantRef, at, value: JSON.parse(decryptContent(row)) }
  }

  return {
    add: (record) => runCommand('writeRecord', { ...record, key: null }),
    put: (record) => runCommand('writeRecord', record),
    list: (filter) => valueOrUnavailable(() => statementFor(filter).all(filter).map(toRecord)),
    remove: (kind, key) => runCommand('removeRecord', { kind, key }),
    hash: (text) => keyedHash(text).toString('hex'),
  }
}
