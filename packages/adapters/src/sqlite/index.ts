export { type CommitQueueOptions, commitQueue } from './commit-queue.ts'
export { openDatabase } from './database.ts'
export { type OpenSqliteOptions, openSqlite, type SqliteHome } from './open-sqlite.ts'
export { type SqliteStoreOptions, sqliteStore } from './store.ts'
