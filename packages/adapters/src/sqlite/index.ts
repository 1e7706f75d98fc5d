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

export type { KeyUsage } from '../encryption/master-keys.ts'
export type { KeyRotation } from '../sql/key-rotation.ts'
export type { SchemaInspection } from '../sql/schema-fingerprint.ts'
export type { Storage } from '../sql/storage.ts'
export type { LeaseHolder } from '../store/lease.ts'
export { keyFilePath } from './encryption/master-keys.ts'
export { type OpenSqliteOptions, openSqlite } from './open-storage.ts'
export {
  type DiskInspection,
  type Inspection,
  inspectDatabase,
  inspectDisk,
} from './queries/inspection.ts'
export { type BackupError, backUp } from './schema/backup.ts'
export type { Database } from './schema/database.ts'
export { COMMIT_BYTES, ROOMY_BYTES } from './wal/write-ahead-log.ts'
