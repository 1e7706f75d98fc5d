// @plazo/adapters/sqlite: stores all of plazo's data in one SQLite file.
export type { Storage } from '../rows/home.ts'
export { type BackupError, type BackupProgress, backUp } from './backup.ts'
export type { Database } from './database.ts'
export { type Inspection, inspectDatabase } from './inspection.ts'
export { keyFilePath } from './key-file.ts'
export { COMMIT_BYTES, type FreeBytes, ROOMY_BYTES } from './log-space.ts'
export { type OpenSqliteOptions, openSqlite } from './open-sqlite.ts'
