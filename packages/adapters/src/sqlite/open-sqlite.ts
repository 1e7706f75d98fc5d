// Everything that plazo remembers, in one SQLite file.
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
  /** As SECRET_KEY gives them; without, the key beside the file, which is made where there is none. */
  readonly keyring?: Keyring | null
  /** An open database, in place of the one at the path. */
  readonly database?: Database
}

const isRead = (db: Database): boolean => {
  try {
    return db.prepare('select 1').pluck().get() === 1
  } catch {
    return false
  }
}

/** `path`: a file, or `:memory:`. Throws when it cannot be opened, or not with these keys. */
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
