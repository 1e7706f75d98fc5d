// @plazo/adapters/sqlite: stores all of plazo's data in one SQLite file.
export type { SchemaInspection } from '../sql/schema-fingerprint.ts'
export type { Storage } from '../sql/storage.ts'
export { keyFilePath } from './encryption/master-keys.ts'
export { type OpenSqliteOptions, openSqlite } from './open-storage.ts'
export { type Inspection, inspectDatabase } from './queries/inspection.ts'
export { type BackupError, type BackupProgress, backUp } from './schema/backup.ts'
export type { Database } from './schema/database.ts'
export { COMMIT_BYTES, type FreeBytes, ROOMY_BYTES } from './wal/write-ahead-log.ts'
