// Everything that plazo remembers, in a PostgreSQL database of a test's own, or in one that it shares with another.
import { type Home, type OpenPostgresOptions, openPostgres } from '@plazo/adapters/postgres'
import { newKeyring } from '@plazo/adapters/sealing'
import { freshDatabase } from './postgres-database.ts'

export const KEYRING = newKeyring()

export type APostgresHome = Home & { readonly url: string }

/** Closing one that has a database of its own drops it. */
export const aPostgresHome = async (
  options: Partial<OpenPostgresOptions> & { readonly url?: string } = {},
): Promise<APostgresHome> => {
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
