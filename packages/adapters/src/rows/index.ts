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

export { durableObjectRows } from './durable-object-rows.ts'
export { EMPTY_VALUE, inValue, type RowsValue } from './in-value.ts'
export type { Rows } from './rows.ts'
export { rowsCipher } from './rows-cipher.ts'
export { sqliteRows } from './sqlite-rows.ts'
export { storeOver } from './store-over.ts'
