// Writes records. The value is encrypted here, because only the writer knows the order's key as it
// is when the record is written.
import { aadForRecord, encrypt, RECORDS_WITHOUT_ORDER, recordKey } from '../../encryption/cipher.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import { loadKeyedHash } from '../encryption/master-keys.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

/** Every function runs inside the caller's transaction. */
export const createRecordWriter = (
  db: Database,
  dataKeys: DataKeys,
): Pick<Commands, 'writeRecord' | 'removeRecord'> => {
  const findOrder = db
    .prepare<[string], number>('select id from orders where order_ref = ?')
    .pluck()
  const insert = db.prepare(
    'insert into records (kind, key, order_id, merchant_ref, at, content) values (?, ?, ?, ?, ?, ?)',
  )
  const remove = db.prepare('delete from records where kind = ? and key = ?')
  const keyOfOthers = recordKey(loadKeyedHash(db, dataKeys.cipher)(RECORDS_WITHOUT_ORDER))

  const idOf = (orderRef: string): number => {
    const id = findOrder.get(orderRef)
    if (id === undefined) throw new Error(`There is no order ${orderRef}.`)
    return id
  }

  return {
    writeRecord: (record) => {
      const { kind, key, orderRef, merchantRef, at, value } = record
      const orderId = orderRef === null ? null : idOf(orderRef)
      const dataKey = orderId === null ? keyOfOthers : dataKeys.currentKey(orderId)
      const content = encrypt(dataKey, aadForRecord(record), JSON.stringify(value))
      if (key !== null) remove.run(kind, key)
      const { lastInsertRowid } = insert.run(kind, key, orderId, merchantRef, at, content)
      return Number(lastInsertRowid)
    },
    removeRecord: ({ kind, key }) => void remove.run(kind, key),
  }
}
