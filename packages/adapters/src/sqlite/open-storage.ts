// Opens one SQLite file that holds all of plazo's data.
import type { OrderModel } from '@plazo/core/ports'
import type { Keyring } from '../encryption/keyring.ts'
import { createKeyRotation } from '../sql/key-rotation.ts'
import { createSqlMerchants } from '../sql/merchant-table.ts'
import { createRecords } from '../sql/records.ts'
import type { Storage } from '../sql/storage.ts'
import { systemTimers } from '../system/clock-and-ids.ts'
import { endDeadLeases } from './claim.ts'
import { openWriteQueue, type WriteQueueOptions } from './commit.ts'
import { openDataKeys } from './encryption/data-keys.ts'
import { loadKeyedHash } from './encryption/master-keys.ts'
import { sqliteErasure } from './erasure.ts'
import { sqliteDialect } from './queries/dialect.ts'
import { type Database, openDatabase, prepareGivenDatabase } from './schema/database.ts'
import { sqliteStore } from './store.ts'

/**
 * The keys of the database, the database itself if your program has opened one, and how writes are
 * gathered.
 */
export type OpenSqliteOptions = WriteQueueOptions & {
  /** The model of the host's terms, by which lists read. Default: `ORDER_MODEL`. */
  readonly model?: OrderModel
  /**
   * The keys from SECRET_KEY. Default: the key file next to the database, which is created if it
   * does not exist.
   */
  readonly keyring?: Keyring | null
  /**
   * A database that your program has opened, used instead of the file at the path, and never
   * closed. It is empty, or contains plazo's tables. Writes are refused while your program has a
   * transaction open on it.
   */
  readonly database?: Database
  /**
   * True: the jobs of dead processes are taken over at once. False: for a process that claims
   * nothing itself.
   */
  readonly reclaimsDeadClaims?: boolean
}

/**
 * Opens or creates a database file with all of plazo's data. `path`: a file, or `:memory:`. Throws
 * if it cannot be opened, or not with these keys.
 */
export const openSqlite = (path: string, options: OpenSqliteOptions = {}): Storage => {
  const { database, keyring = null, timers = systemTimers, reclaimsDeadClaims = true } = options
  if (database !== undefined) prepareGivenDatabase(database)
  const db = database ?? openDatabase(path)
  const closeOwn = (): void => {
    if (database === undefined) db.close()
  }
  try {
    const dataKeys = openDataKeys(db, keyring)
    if (reclaimsDeadClaims) endDeadLeases(db)
    // A thread would open the program's file by itself.
    const threads = database && { threadAfterJobs: Number.POSITIVE_INFINITY }
    const queue = openWriteQueue(db, dataKeys, { ...threads, ...options })
    const dialect = sqliteDialect(db, queue.runCommand, dataKeys)
    return {
      store: sqliteStore(db, queue, dataKeys, options.model),
      merchants: createSqlMerchants(dialect),
      keyring: dataKeys.cipher.keyring,
      records: createRecords(dialect, loadKeyedHash(db, dataKeys.cipher)),
      erasure: sqliteErasure(db, dialect, timers),
      keyRotation: createKeyRotation(dialect),
      clock: { now: timers.realNow },
      probeDisk: queue.probeDisk,
      close: async () => {
        await queue.close()
        closeOwn()
      },
    }
  } catch (cause) {
    closeOwn()
    throw cause
  }
}
