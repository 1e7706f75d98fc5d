// Builds the parts of a PostgreSQL storage separately, in a new database or in a shared one.
import { newKeyEntry } from '@plazo/adapters/sealing'
import { openConnection } from '../../packages/adapters/src/postgres/connection.ts'
import { postgresErasure } from '../../packages/adapters/src/postgres/forgetting.ts'
import { postgresKeyRotation } from '../../packages/adapters/src/postgres/key-keeping.ts'
import { adoptKeys, loadKeyedHash } from '../../packages/adapters/src/postgres/master-keys.ts'
import { postgresMerchants } from '../../packages/adapters/src/postgres/merchants.ts'
import { postgresSandboxStore } from '../../packages/adapters/src/postgres/sandbox-shelf.ts'
import { postgresDataKeys } from '../../packages/adapters/src/postgres/vault.ts'
import { createCipher } from '../../packages/adapters/src/sealing/sealer.ts'
import { freshDatabase } from './postgres-database.ts'
import { keyringOf } from './secret-keys.ts'

const SECRET_KEY_ENTRY = newKeyEntry()

export type PostgresParts = Awaited<ReturnType<typeof openPostgresParts>>

export const openPostgresParts = async (shared?: string, secretKey = SECRET_KEY_ENTRY) => {
  const own = shared === undefined ? await freshDatabase() : null
  const url = shared ?? own?.url ?? ''
  const statements: string[] = []
  const connection = openConnection(url, { connections: 4, onStatement: (name) => statements.push(name) })
  const vault = postgresDataKeys(createCipher(keyringOf(secretKey)))
  const close = async () => {
    await connection.close()
    await own?.drop()
  }
  try {
    await adoptKeys(connection, vault.cipher)
    const lookUp = await loadKeyedHash(connection, vault.cipher)
    return {
      url,
      statements,
      connection,
      vault,
      merchants: postgresMerchants(connection, vault.cipher),
      shelf: postgresSandboxStore(connection, vault, lookUp),
      keys: postgresKeyRotation(connection, vault.cipher),
      forgetting: postgresErasure(connection, vault),
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}
