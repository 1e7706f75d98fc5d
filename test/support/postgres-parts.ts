// Builds the parts of a PostgreSQL storage separately, in a new database or in a shared one.
import { newKeyEntry } from '@plazo/adapters/sealing'
import { openConnection } from '../../packages/adapters/src/postgres/connection.ts'
import { postgresForgetting } from '../../packages/adapters/src/postgres/forgetting.ts'
import { postgresKeyKeeping } from '../../packages/adapters/src/postgres/key-keeping.ts'
import { adoptKeys, lookUpIn } from '../../packages/adapters/src/postgres/master-keys.ts'
import { postgresMerchants } from '../../packages/adapters/src/postgres/merchants.ts'
import { postgresSandboxShelf } from '../../packages/adapters/src/postgres/sandbox-shelf.ts'
import { postgresVault } from '../../packages/adapters/src/postgres/vault.ts'
import { sealer } from '../../packages/adapters/src/sealing/sealer.ts'
import { freshDatabase } from './postgres-database.ts'
import { keyringOf } from './secret-keys.ts'

const ENTRY = newKeyEntry()

export type APostgres = Awaited<ReturnType<typeof aPostgres>>

export const aPostgres = async (shared?: string, secretKey = ENTRY) => {
  const own = shared === undefined ? await freshDatabase() : null
  const url = shared ?? own?.url ?? ''
  const statements: string[] = []
  const connection = openConnection(url, { connections: 4, onStatement: (name) => statements.push(name) })
  const vault = postgresVault(sealer(keyringOf(secretKey)))
  const close = async () => {
    await connection.close()
    await own?.drop()
  }
  try {
    await adoptKeys(connection, vault.sealer)
    const lookUp = await lookUpIn(connection, vault.sealer)
    return {
      url,
      statements,
      connection,
      vault,
      merchants: postgresMerchants(connection, vault.sealer),
      shelf: postgresSandboxShelf(connection, vault, lookUp),
      keys: postgresKeyKeeping(connection, vault.sealer),
      forgetting: postgresForgetting(connection, vault),
      close,
    }
  } catch (cause) {
    await close()
    throw cause
  }
}
