// @plazo/adapters/sqlite: one SQLite file stores all of plazo's data, so a single server needs no
// database next to it.
//
// ```ts
// import { openSqlite } from '@plazo/adapters/sqlite'
//
// const storage = openSqlite(':memory:') // or the path of a file; its key is in a file next to it
// console.log(await storage.store.takesWrites())
// console.log(await storage.merchants.list()()) // Right: []
// await storage.close() // commits waiting writes first
// ```

export { openSqlite } from './open-storage.ts'
