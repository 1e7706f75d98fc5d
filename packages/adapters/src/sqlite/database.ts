// Opens a SQLite database as plazo wants it: all migrations applied, write-ahead log, every commit flushed.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Sqlite from 'better-sqlite3'
import { giveLogBack } from './full-disk.ts'
import { boundLog, emptyLog, type FreeBytes, freeBytesOf, isOfSpace, logBytesOf, logLimit } from './log-space.ts'
import { MIGRATIONS } from './migrations.ts'

export type Database = Sqlite.Database

// Readable by its owner alone, and so is its log, which SQLite makes like it.
const makeFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It is there, or SQLite says why it cannot be.
  }
}

/**
 * `:memory:`, a path, whose folder is made if need be, or the bytes of a database. Throws when the file is no database,
 * is from a later plazo (`code` DATABASE_LATER) or another program's (DATABASE_FOREIGN), which is left as it is.
 */
export const openDatabase = (path: string | Buffer, freeBytes: FreeBytes = freeBytesOf): Database => {
  if (typeof path !== 'string' || path === ':memory:') return open(path, freeBytes)
  makeFile(path)
  try {
    return open(path, freeBytes)
  } catch (cause) {
    if (isOfSpace(cause) && giveLogBack(path)) return open(path, freeBytes)
    throw cause
  }
}

const open = (path: string | Buffer, freeBytes: FreeBytes): Database => {
  const db = new Sqlite(path)
  try {
    db.pragma('busy_timeout = 5000')
    db.pragma('synchronous = FULL')
    db.pragma('temp_store = MEMORY')
    db.pragma(`cache_size = -${isLarge(db) ? LARGE_CACHE : SMALL_CACHE}`)
    // What a row leaves behind on a page that is written anyway is overwritten.
    db.pragma('secure_delete = FAST')
    // First, so that a file that is refused keeps its own way of being written.
    migrate(db)
    useWriteAheadLog(db)
    boundLog(db, freeBytes)
    // A server that was killed may have left more than there is room for now.
    if (logBytesOf(db.name) > logLimit(freeBytes(dirname(db.name)), logBytesOf(db.name))) emptyLog(db)
    return keepingPlans(db)
  } catch (cause) {
    db.close()
    throw cause
  }
}

// In KiB. While the file is below 1 GiB, SQLite walks its whole page cache at the end of each commit that has split a page:
// pages are put into order by way of the number of the page at 1 GiB, and what lies beyond the end is dropped.
const SMALL_CACHE = 8_192
const LARGE_CACHE = 65_536

const isLarge = (db: Database): boolean => {
  const bytes = ['page_count', 'page_size'].map((name) => Number(db.pragma(name, { simple: true })))
  return bytes.reduce((a, b) => a * b) > 2 ** 30
}

// SQLite compiles a statement anew whenever a bare parameter that may sway its plan is bound again, which costs many times
// what running it does. Behind a plus, which changes nothing else, a parameter sways no plan.
const keepingPlans = (db: Database): Database => {
  const prepare = db.prepare.bind(db) as (sql: string) => Sqlite.Statement
  return Object.assign(db, { prepare: (sql: string) => prepare(sql.replaceAll('?', '+?')) })
}

const TRIES = 20

// The switch wants the file for itself and does not wait for it: of processes that start together, one that came too
// late waits for the write lock instead, and then finds the switch made.
const useWriteAheadLog = (db: Database): void => {
  for (let tried = 1; ; tried++)
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (cause) {
      const isBusy = cause instanceof Sqlite.SqliteError && cause.code.startsWith('SQLITE_BUSY')
      if (!isBusy || tried === TRIES) throw cause
      db.transaction(() => {}).immediate()
    }
}

const unfit = (code: string, message: string): Error => Object.assign(new Error(message), { code })

const SHOWN = 3
const OWN_TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name`

/** The last migration applied; within a transaction. Throws where the tables are another program's. */
export const versionOf = (db: Database): number => {
  const version = Number(db.pragma('user_version', { simple: true }))
  const tables = db.prepare<[], string>(OWN_TABLES).pluck().all()
  // Any program may number its versions where plazo does; each of plazo's has placements.
  if (version === 0 ? tables.length === 0 : tables.includes('placements')) return version
  const more = tables.length > SHOWN ? ` and ${tables.length - SHOWN} more` : ''
  const held = tables.length === 0 ? 'no table' : `the tables ${tables.slice(0, SHOWN).join(', ')}${more}`
  throw unfit('DATABASE_FOREIGN', `The database is another program’s: it holds ${held}.`)
}

const migrate = (db: Database): void => {
  // A start that has nothing to change writes nothing: it may be one on a full disk.
  if (db.transaction(versionOf)(db) === MIGRATIONS.length) return
  // Immediate: two processes that start together take turns, and the second finds nothing left to do.
  const run = db.transaction(() => {
    const version = versionOf(db)
    if (version > MIGRATIONS.length)
      throw unfit(
        'DATABASE_LATER',
        `The database is of version ${version}; this plazo knows versions up to ${MIGRATIONS.length}.`,
      )
    for (const migration of MIGRATIONS.slice(version)) db.exec(migration)
    db.pragma(`user_version = ${MIGRATIONS.length}`)
  })
  run.immediate()
}
