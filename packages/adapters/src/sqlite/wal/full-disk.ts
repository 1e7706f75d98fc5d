// Starts on a full disk. The log of a killed server may hold the missing space, so it is copied into the database before
// anything else is opened. If the space is still too small, the start fails with an error that says how much is needed.
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorMessage } from '@plazo/core'
import Sqlite from 'better-sqlite3'
import { MIGRATIONS } from '../schema/migrations.ts'
import { COMMIT_BYTES, type FreeBytes, logBytesOf } from './write-ahead-log.ts'

const INDEX_BYTES = 32_768
const KIB = 1_024

// Opens it exclusively: SQLite then keeps the log's index in memory and needs no file for it. Null: another connection has it
// open, or it is damaged.
const openExclusively = <A>(path: string, use: (db: Sqlite.Database) => A): A | null => {
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

/** Copies the log into the database and frees its space. True if that succeeded. */
export const freeLogSpace = (path: string): boolean =>
  logBytesOf(path) > 0 &&
  openExclusively(path, (db) => db.pragma('wal_checkpoint(truncate)', { simple: true }) === 0) === true

const readPragma = (db: Sqlite.Database, name: string): number => Number(db.pragma(name, { simple: true }))

// The bytes by which the database grows when the log is copied into it. A migration needs twice the database's size more: each
// page is written to the log and, at a new place, to the database.
const neededBytes = (path: string): number => {
  const own = openExclusively(path, (db) => {
    const bytes = readPragma(db, 'page_count') * readPragma(db, 'page_size')
    const isCurrent = readPragma(db, 'user_version') === MIGRATIONS.length
    return Math.max(0, bytes - statSync(path).size) + (isCurrent ? 0 : 2 * bytes)
  })
  return INDEX_BYTES + COMMIT_BYTES + (own ?? 0)
}

/** The error to throw if the disk has too little space for the start. */
export const outOfSpaceError = (path: string, freeBytes: FreeBytes, cause: unknown): Error => {
  const [needed, free] = [neededBytes(path), freeBytes(dirname(path))].map((bytes) => Math.ceil(bytes / KIB))
  const message = `its disk has ${free} KiB free, and the start needs ${needed} KiB: ${errorMessage(cause)}`
  return Object.assign(new Error(message, { cause }), { code: 'SQLITE_FULL' })
}
