// Opens one SQLite file that holds all of plazo's data.
import type { Home } from '../rows/home.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { systemTimers } from '../system/timers.ts'
import { type CommitsOptions, sqliteCommits } from './commits.ts'
import { type Database, openDatabase } from './database.ts'
import { sqliteForgetting } from './forgetting.ts'
import { tooLittleSpace } from './full-disk.ts'
import { sqliteKeyKeeping } from './key-keeping.ts'
import { freeBytesOf, isOfSpace } from './log-space.ts'
import { sqliteMerchants } from './merchants.ts'
import { openVault } from './open-vault.ts'
import { sqliteSandboxShelf } from './sandbox-shelf.ts'
import { sqliteStore } from './store.ts'

export type OpenSqliteOptions = CommitsOptions & {
  /** The keys from SECRET_KEY. Default: the key file next to the database, which is created if it does not exist. */
  readonly keyring?: Keyring | null
  /** An open database, used instead of the file at the path. */
  readonly database?: Database
}

const isRead = (db: Database): boolean => {
  try {
    return db.prepare('select 1').pluck().get() === 1
  } catch {
    return false
  }
}

/** `path`: a file, or `:memory:`. Throws if it cannot be opened, or not with these keys. */
export const openSqlite = (path: string, options: OpenSqliteOptions = {}): Home => {
  try {
    return open(path, options)
  } catch (cause) {
    throw isOfSpace(cause) ? tooLittleSpace(path, options.freeBytes ?? freeBytesOf, cause) : cause
  }
}

const open = (path: string, { database, keyring = null, ...options }: OpenSqliteOptions): Home => {
  const { timers = systemTimers } = options
  const db = database ?? openDatabase(path, options.freeBytes)
  const vault = openVault(db, path, keyring)
  const queue = sqliteCommits(db, vault, options)
  return {
    store: sqliteStore(db, queue, vault),
    merchants: sqliteMerchants(db, vault.sealer),
    keyring: vault.sealer.keyring,
    shelf: sqliteSandboxShelf(db, queue, vault),
    forgetting: sqliteForgetting(db, vault, timers),
    keys: sqliteKeyKeeping(db, vault.sealer),
    clock: { now: timers.realNow },
    isReachable: async () => isRead(db) && (await queue.takesWrites()),
    close: async () => {
      await queue.close()
      db.close()
    },
  }
}
