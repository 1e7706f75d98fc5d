// Everything that plazo remembers, in one SQLite file.
import { randomBytes } from 'node:crypto'
import type { Merchants, Store } from '@plazo/core'
import type { SandboxShelf } from '../sandbox/shelf.ts'
import { type CommitQueueOptions, commitQueue } from './commit-queue.ts'
import { openDatabase } from './database.ts'
import { sqliteMerchants } from './merchants.ts'
import { sqliteSandboxShelf } from './sandbox-shelf.ts'
import { sqliteStore } from './store.ts'

export type SqliteHome = {
  readonly store: Store
  readonly merchants: Merchants
  readonly shelf: SandboxShelf
  /** Whether the database answers. */
  readonly isReachable: () => boolean
  /** Commits what waits, then closes the file. */
  readonly close: () => Promise<void>
}

export type OpenSqliteOptions = CommitQueueOptions & {
  /** Real time, for leases alone. */
  readonly realNow?: () => number
}

/** `path`: a file, or `:memory:`. Throws when it cannot be opened. */
export const openSqlite = (
  path: string,
  { realNow = () => Date.now(), ...options }: OpenSqliteOptions = {},
): SqliteHome => {
  const db = openDatabase(path)
  const queue = commitQueue(db, options)
  const boot = randomBytes(6).toString('hex')
  return {
    store: sqliteStore(db, queue, { realNow, boot }),
    merchants: sqliteMerchants(db),
    shelf: sqliteSandboxShelf(db, queue),
    isReachable: () => db.open && db.prepare('select 1').pluck().get() === 1,
    close: async () => {
      await queue.close()
      db.close()
    },
  }
}
