// Opens plazo's complete storage in a PostgreSQL database of one test, or in a database shared with another storage.
import { type OpenPostgresOptions, openPostgres, type Storage } from '@plazo/adapters/postgres'
import { newKeyring } from '@plazo/adapters/sealing'
import { freshDatabase } from './postgres-database.ts'

export const KEYRING = newKeyring()

export type PostgresTestStorage = Storage & { readonly url: string }

/** Closing it drops the database, unless the database is shared. */
export const openPostgresTestStorage = async (
  options: Partial<OpenPostgresOptions> & { readonly url?: string } = {},
): Promise<PostgresTestStorage> => {
  const { url: shared, ...rest } = options
  const own = shared === undefined ? await freshDatabase() : null
  const url = shared ?? own?.url ?? ''
  const home = await openPostgres(url, { keyring: KEYRING, connections: 4, ...rest })
  return {
    ...home,
    url,
    close: async () => {
      await home.close()
      await own?.drop()
    },
  }
}
