export { type CommitQueueOptions, commitQueue } from './commit-queue.ts'
export { openDatabase } from './database.ts'
export { openSqlite, type SqliteHome } from './open-sqlite.ts'
