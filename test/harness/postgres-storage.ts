// Builds the parts of a PostgreSQL storage separately, in a new database or in a shared one.
import { newKeyEntry, newKeyring } from '@plazo/adapters/encryption'
import { type OpenPostgresOptions, openPostgres, type Storage } from '@plazo/adapters/postgres'
import { createCipher } from '../../packages/adapters/src/encryption/cipher.ts'
import { openConnection } from '../../packages/adapters/src/postgres/connection/connection.ts'
import { postgresDataKeys } from '../../packages/adapters/src/postgres/encryption/data-keys.ts'
import { postgresKeyRotation } from '../../packages/adapters/src/postgres/encryption/key-rotation.ts'
import { adoptKeys, loadKeyedHash } from '../../packages/adapters/src/postgres/encryption/master-keys.ts'
import { postgresErasure } from '../../packages/adapters/src/postgres/erasure.ts'
import { postgresMerchants } from '../../packages/adapters/src/postgres/merchants.ts'
import { postgresSandboxStore } from '../../packages/adapters/src/postgres/sandbox-store.ts'
import { freshDatabase } from './postgres-database.ts'
import { keyringOf } from './secret-keys.ts'

const SECRET_KEY_ENTRY = newKeyEntry()

export type PostgresParts = Awaited<ReturnType<typeof openPostgresParts>>

export const openPostgresParts = async (shared?: string, secretKey = SECRET_KEY_ENTRY) => {
  const own = shared === undefined ? await freshDatabase() : null
  const url = shared ?? own?.url ?? ''
  const statements: string[] = []
  const connection = openConnection(url, { connections: 4, onStatement: (name) => statements.push(name) })
  const dataKeys = postgresDataKeys(createCipher(keyringOf(secretKey)))
  const close = async () => {
    await connection.close()
    await own?.drop()
  }
  try {
    await adoptKeys(connection.query, dataKeys.cipher)
    const lookUp = await loadKeyedHash(connection.query, dataKeys.cipher)
    return {
      url,
      statements,
      connection,
      dataKeys,
      merchants: postgresMerchants(connection, dataKeys.cipher),
      sandboxStore: postgresSandboxStore(connection, dataKeys, lookUp),
      keys: postgresKeyRotation(connection, dataKeys.cipher),
      erasure: postgresErasure(connection, dataKeys),
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

export const KEYRING = newKeyring()

export type PostgresTestStorage = Storage & { readonly url: string }

/**
 * Opens plazo's complete storage in a PostgreSQL database of one test, or in a database shared with another storage. Closing it
 * drops the database, unless the database is shared.
 */
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
