// Opens a store in this process, without a server, from the URL that a server would use.
import { openPostgres } from '@plazo/adapters/postgres'
import { openSqlite } from '@plazo/adapters/sqlite'
import type { FullStore } from '@plazo/core'
import type { Database } from '../../packages/adapters/src/sqlite/schema/database.ts'
import { keyringOf } from '../harness/secret-keys.ts'
import { SECRET_KEY } from './plazo.ts'

export type OpenedStore = { readonly store: FullStore; readonly close: () => Promise<void> }

/** `database`: an open database to use instead of opening the SQLite file. */
export const openStoreAt = async (url: string, database?: Database): Promise<OpenedStore> => {
  const keyring = keyringOf(SECRET_KEY)
  return url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length), { keyring, ...(database && { database }) })
    : openPostgres(url, { keyring })
}
