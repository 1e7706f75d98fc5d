// A start on a disk without space. A server that was killed has left its log, which may hold what is missing: it is copied into
// the database before anything else is opened. What needs space all the same ends the start with a line that says how much.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf } from '@plazo/core'
import Sqlite from 'better-sqlite3'
import { COMMIT_BYTES, type FreeBytes, logBytesOf } from './log-space.ts'
import { MIGRATIONS } from './migrations.ts'

const INDEX_BYTES = 32_768
const KIB = 1_024

// Exclusively: the index of the log is kept in memory then, which needs no file. Null: others have it open, or it is damaged.
const withOwnIndex = <A>(path: string, use: (db: Sqlite.Database) => A): A | null => {
  let db: Sqlite.Database | undefined
  try {
    db = new Sqlite(path, { fileMustExist: true, timeout: 0 })
    db.pragma('locking_mode = exclusive')
    return use(db)
  } catch {
    return null
  } finally {
    db?.close()
  }
}

/** Whether the log was copied into the database, and its space is free. */
export const giveLogBack = (path: string): boolean =>
  logBytesOf(path) > 0 &&
  withOwnIndex(path, (db) => db.pragma('wal_checkpoint(truncate)', { simple: true }) === 0) === true

const numberOf = (db: Sqlite.Database, name: string): number => Number(db.pragma(name, { simple: true }))

// What the database grows by when the log is copied into it; and where it is to be migrated, twice its size: each page is
// written to the log and, in a new place, to the database.
const neededBytes = (path: string): number => {
  const own = withOwnIndex(path, (db) => {
    const bytes = numberOf(db, 'page_count') * numberOf(db, 'page_size')
    const isCurrent = numberOf(db, 'user_version') === MIGRATIONS.length
    return Math.max(0, bytes - statSync(path).size) + (isCurrent ? 0 : 2 * bytes)
  })
  return INDEX_BYTES + COMMIT_BYTES + (own ?? 0)
}

/** What to throw where the disk has too little space for the start. */
export const tooLittleSpace = (path: string, freeBytes: FreeBytes, cause: unknown): Error => {
  const [needed, free] = [neededBytes(path), freeBytes(dirname(path))].map((bytes) => Math.ceil(bytes / KIB))
  const message = `its disk has ${free} KiB free, and the start needs ${needed} KiB: ${messageOf(cause)}`
  return Object.assign(new Error(message, { cause }), { code: 'SQLITE_FULL' })
}
