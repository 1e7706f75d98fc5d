// Opens a SQLite database with the settings that plazo needs: all migrations applied, write-ahead
// log, every commit flushed. A start that changes no tables needs no space.
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Unavailable, UnavailableError } from '@plazo/core/internal'
import Sqlite from 'better-sqlite3'
import { errorCodeOf } from '../../system/error-code.ts'
import { limitLog } from '../wal/write-ahead-log.ts'
import { checkSchema, migrate } from './migrate.ts'

/** An open database of better-sqlite3. */
export type Database = Sqlite.Database

// Only its owner can read the file. SQLite creates the log with the same mode.
const createFile = (path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // The file exists, or SQLite will report why it cannot be created.
  }
}

/**
 * Opens `:memory:`, a path (its folder is created if missing), or the bytes of a database. Throws
 * if the file is not a database, is from a later plazo (`code` DATABASE_LATER), has other tables
 * than its version (DATABASE_OTHER) or belongs to another program (DATABASE_FOREIGN). A refused
 * file is not changed.
 */
export const openDatabase = (path: string | Buffer, prepareTables = migrate): Database => {
  if (typeof path === 'string' && path !== ':memory:') createFile(path)
  const db = new Sqlite(path)
  try {
    prepareDatabase(db, prepareTables)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

/**
 * Opens a file again that this process has open. Its version is not checked again, because a later
 * plazo may have migrated it meanwhile, and this one goes on.
 */
export const openAgain = (path: string): Database => openDatabase(path, () => {})

const prepareDatabase = (db: Database, prepareTables: typeof migrate): void => {
  db.pragma('busy_timeout = 5000')
  db.pragma('synchronous = FULL')
  db.pragma('temp_store = MEMORY')
  db.pragma(`cache_size = -${isLarge(db) ? LARGE_CACHE : SMALL_CACHE}`)
  // Overwrites all deleted content.
  db.pragma('secure_delete = ON')
  // First, so that a refused file keeps its journal mode.
  prepareTables(db)
  useWriteAheadLog(db)
  limitLog(db)
}

/**
 * Makes the tables in a database that the embedding program has opened, if they are missing. Throws
 * if the program has a transaction open, or if the database contains anything else. A refused
 * database stays open and unchanged.
 */
export const prepareGivenDatabase = (db: Database): void => {
  assertOutsideTransaction(db)
  // Before any setting of the connection changes.
  db.transaction(checkSchema)(db)
  prepareDatabase(db, migrate)
}

/**
 * Why nothing is written while the embedding program has a transaction open: its rollback would
 * undo the write.
 */
export const WITHIN_TRANSACTION: Unavailable = {
  _tag: 'Unavailable',
  code: 'file_locked',
  message:
    'Your program has a transaction open on the database that it gave to plazo. End it, and try again.',
}

/**
 * Throws within a transaction of the embedding program. Each transaction of plazo ends before other
 * code runs.
 */
export const assertOutsideTransaction = (db: Database): void => {
  if (db.inTransaction) throw new UnavailableError(WITHIN_TRANSACTION)
}

// In KiB. While the file is below 1 GiB, SQLite walks its whole page cache at the end of each
// commit that has split a page. It uses the page number at 1 GiB to reorder pages, and then drops
// cached pages beyond the end of the file.
const SMALL_CACHE = 8_192
const LARGE_CACHE = 65_536
const PAGES_SMALL = 2 ** 30 / 4_096

const isLarge = (db: Database): boolean =>
  Number(db.pragma('page_count', { simple: true })) > PAGES_SMALL

/**
 * Writes each `?` of a statement's text as `+?`. SQLite recompiles a statement when a bare
 * parameter that may influence its plan is bound again, which takes up to 30 times as long as
 * running it. A parameter after a unary plus influences no plan, and the plus changes nothing else.
 * Frequent statements need this, except for inserts and for rows found by a unique key. SQL that is
 * inserted with `${…}` stays as it is.
 */
export const stablePlan = ({ raw }: TemplateStringsArray, ...parts: readonly string[]): string =>
  String.raw({ raw: raw.map((text) => text.replaceAll('?', '+?')) }, ...parts)

const TRIES = 20

// The switch requires exclusive access to the file and does not wait for it. If processes start
// together, a late one waits for the write lock instead, and then finds that the switch was made.
const useWriteAheadLog = (db: Database): void => {
  for (let tried = 1; ; tried++)
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (cause) {
      const isBusy = errorCodeOf(cause).startsWith('SQLITE_BUSY')
      if (!isBusy || tried === TRIES) throw cause
      db.transaction(() => {}).immediate()
    }
}
