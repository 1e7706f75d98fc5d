// Everything that plazo remembers, in one SQLite file.
import type { Forgetting, Merchants, Store } from '@plazo/core'
import type { SandboxShelf } from '../sandbox/shelf.ts'
import type { KeyKeeping } from '../sealing/key-keeping.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { systemTimers } from '../system/timers.ts'
import { type CommitsOptions, sqliteCommits } from './commits.ts'
import { type Database, openDatabase } from './database.ts'
import { sqliteForgetting } from './forgetting.ts'
import { sqliteKeyKeeping } from './key-keeping.ts'
import { sqliteMerchants } from './merchants.ts'
import { openVault } from './open-vault.ts'
import { sqliteSandboxShelf } from './sandbox-shelf.ts'
import { sqliteStore } from './store.ts'

export type SqliteHome = {
  readonly store: Store
  readonly merchants: Merchants
  readonly shelf: SandboxShelf
  /** What it is sealed under: the keys given, or its own. */
  readonly keyring: Keyring
  readonly keys: KeyKeeping
  readonly forgetting: Forgetting
  /** Whether the database answers. */
  readonly isReachable: () => boolean
  /** Commits what waits, then closes the file. */
  readonly close: () => Promise<void>
}

export type OpenSqliteOptions = CommitsOptions & {
  /** As SECRET_KEY gives them; without, the key beside the file, which is made where there is none. */
  readonly keyring?: Keyring | null
  /** An open database, in place of the one at the path. */
  readonly database?: Database
}

/** `path`: a file, or `:memory:`. Throws when it cannot be opened, or not with these keys. */
export const openSqlite = (
  path: string,
  { database, keyring = null, ...options }: OpenSqliteOptions = {},
): SqliteHome => {
  const db = database ?? openDatabase(path)
  const vault = openVault(db, path, keyring)
  const queue = sqliteCommits(db, vault, options)
  return {
    store: sqliteStore(db, queue, vault),
    merchants: sqliteMerchants(db, vault.sealer),
    keyring: vault.sealer.keyring,
    shelf: sqliteSandboxShelf(db, queue, vault),
    forgetting: sqliteForgetting(db, vault, options.timers ?? systemTimers),
    keys: sqliteKeyKeeping(db, vault.sealer),
    isReachable: () => db.open && db.prepare('select 1').pluck().get() === 1,
    close: async () => {
      await queue.close()
      db.close()
    },
  }
}
