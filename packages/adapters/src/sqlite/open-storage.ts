// Opens one SQLite file that holds all of plazo's data.
import type { OrderModel } from '@plazo/core/internal'
import type { Keyring } from '../encryption/keyring.ts'
import { createKeyRotation } from '../sql/key-rotation.ts'
import { createSqlMerchants } from '../sql/merchant-table.ts'
import { createRecords } from '../sql/records.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import type { Storage } from '../sql/storage.ts'
import { createSealer } from '../store/seal.ts'
import { systemTimers } from '../system/clock-and-ids.ts'
import { sqliteBase } from './base.ts'
import { type CommitOptions, openCommitter } from './commit.ts'
import { loadKeyedHash, openCipher } from './encryption/master-keys.ts'
import { sqliteErasure } from './erasure.ts'
import { sqliteLease } from './lease.ts'
import { sqliteDialect } from './queries/dialect.ts'
import { type Database, openDatabase, prepareGivenDatabase } from './schema/database.ts'
import { assertOwnLog, renewMark } from './wal/file-mark.ts'

/**
 * The keys of the database, the database itself if your program has opened one, and how writes are
 * gathered.
 */
export type OpenSqliteOptions = CommitOptions & {
  /** With this many waiting changes, new requests are refused and may be retried. */
  readonly capacity?: number
  /** The model of the host's terms, by which lists read. Default: `ORDER_MODEL`. */
  readonly model?: OrderModel
  /** True: a number gets only so many codes, over all orders. Default: false. */
  readonly limitsCodes?: boolean
  /**
   * The keys from SECRET_KEY. Default: the key file next to the database, which is created if it
   * does not exist.
   */
  readonly keyring?: Keyring | null
  /** False for a program that works next to a server for a moment. Default: true. */
  readonly renewsMark?: boolean
  /**
   * A database that your program has opened, used instead of the file at the path, and never
   * closed. It is empty, or contains plazo's tables. Writes are refused while your program has a
   * transaction open on it.
   */
  readonly database?: Database
}

/**
 * Opens or creates a database file with all of plazo's data. `path`: a file, or `:memory:`. Throws
 * if it cannot be opened, or not with these keys, or with the log next to it (`code` DATABASE_LOG).
 */
export const openSqlite = (
  path: string,
  { database, ...options }: OpenSqliteOptions = {},
): Storage => {
  if (database !== undefined) {
    prepareGivenDatabase(database)
    // A thread would open the program's file by itself.
    const unthreaded = { threadAfterJobs: Number.POSITIVE_INFINITY, ...options }
    return storageOn(database, unthreaded, () => {})
  }
  assertOwnLog(path)
  const db = openDatabase(path)
  const close = () => void db.close()
  try {
    const storage = storageOn(db, options, close)
    if (options.renewsMark ?? true) renewMark(db)
    return storage
  } catch (cause) {
    close()
    throw cause
  }
}

/** No other process can have the database. */
const HERE = { isHere: true, holder: null, since: null }

const storageOn = (
  db: Database,
  options: OpenSqliteOptions,
  closeDatabase: () => void,
): Storage => {
  const { keyring = null, timers = systemTimers, model, capacity, limitsCodes } = options
  const cipher = openCipher(db, keyring)
  const committer = openCommitter(db, cipher, options)
  const dialect = sqliteDialect(db, createSealer(cipher), committer)
  const records = createRecords(dialect, loadKeyedHash(db, cipher))
  const { soon, monotonicNow, realNow } = timers
  const lease = db.memory ? undefined : sqliteLease(db.name, timers)
  const onChange = lease?.noteChange
  const store = createSqlStore(dialect, {
    base: sqliteBase(db, dialect, committer.commit),
    lease,
    takesWrites: committer.takesWrites,
    model,
    options: {
      ...{ capacity, limitsCodes, hash: records.hash, soon, monotonicNow, onChange },
      maxInFlight: 2,
    },
  })
  lease?.onNews(() => void store.look(null))
  return {
    store,
    merchants: createSqlMerchants(dialect),
    keyring: cipher.keyring,
    records,
    erasure: sqliteErasure(db, dialect),
    keyRotation: createKeyRotation(dialect),
    clock: { now: realNow },
    lease: lease?.lease ?? (async () => HERE),
    probeDisk: committer.probeDisk,
    close: async () => {
      await store.close()
      await committer.close()
      lease?.close()
      closeDatabase()
    },
  }
}
