// @plazo/adapters/rows: a store in the database or the value of your program, over eight functions.
// This entry imports nothing of Node, and no database.
//
// ```ts
// import { sqliteRows, storeOver } from '@plazo/adapters/rows'
// import { DatabaseSync } from 'node:sqlite'
//
// const database = new DatabaseSync(':memory:') // yours, with your own tables
// const store = storeOver(sqliteRows(database), Date.now)
// console.log(await store.nextDueAt()()) // Right: null, because no job waits
// ```

export { type DurableObjectStorage, durableObjectRows } from './durable-object-rows.ts'
export { type EncryptedOrder, encryptedStoreOver } from './encrypted-store.ts'
export { erasureOver } from './erasure.ts'
export { type InValue, type InValueOptions, inValue } from './in-value.ts'
export type {
  AttemptRows,
  JobRow,
  OrderKeys,
  OrderRow,
  Rows,
  RowsStore,
  StoreRows,
} from './rows.ts'
export { type OrderKey, type RowsCipher, rowsCipher } from './rows-cipher.ts'
export { type SqliteDatabase, sqliteRows } from './sqlite-rows.ts'
export { storeOver } from './store-over.ts'
export { EMPTY_VALUE, type RowsValue, valueRows } from './value-rows.ts'
