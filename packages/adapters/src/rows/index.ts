// @plazo/adapters/rows: a store in the database or the value of your program, over five functions.
// This entry imports nothing of Node, and no database.
//
// ```ts
// import { sqliteRows, storeOver } from '@plazo/adapters/rows'
// import { DatabaseSync } from 'node:sqlite'
//
// const database = new DatabaseSync(':memory:') // yours, with your own tables
// const { store } = storeOver(sqliteRows(database))
// console.log(await store.nextDueAt()()) // Right: null, because no job waits
// ```

export type { JobRow } from '../store/base.ts'
export type { Running } from '../store/queue.ts'
export { type DurableObjectStorage, durableObjectRows } from './durable-object-rows.ts'
export {
  EMPTY_VALUE,
  type InValue,
  type InValueOptions,
  inValue,
  type RowsValue,
} from './in-value.ts'
export { mapRows } from './map-rows.ts'
export type { OrderRow, RowKey, Rows } from './rows.ts'
export { type RowsCipher, rowsCipher } from './rows-cipher.ts'
export { type SqliteDatabase, sqliteRows } from './sqlite-rows.ts'
export { type StoreOverRows, storeOver } from './store-over.ts'
