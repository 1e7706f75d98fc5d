// The database of a run, with the run's merchants: how servers open it, and how it is read at the
// end.
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import { openSqlite } from '@plazo/adapters/sqlite'
import {
  type DatabaseSnapshot,
  postgresSnapshot,
  sqliteFileSnapshot,
} from '../../harness/ledger/snapshot.ts'
import { addMerchants, type MerchantRef } from '../../harness/merchants.ts'
import { keyringOf } from '../../harness/secret-keys.ts'

type RunDatabase = {
  /** The settings of a server that uses it. */
  readonly env: Readonly<Record<string, string>>
  readonly snapshot: () => Promise<DatabaseSnapshot>
}

export const sqliteDatabase = async (
  file: string,
  merchants?: readonly MerchantRef[],
): Promise<RunDatabase> => {
  const storage = openSqlite(file)
  await addMerchants(storage.merchants, merchants)
  await storage.close()
  return {
    env: { DATABASE_URL: `sqlite:${file}` },
    snapshot: () => sqliteFileSnapshot(file),
  }
}

export const postgresDatabase = async (
  url: string,
  merchants?: readonly MerchantRef[],
): Promise<RunDatabase> => {
  const secretKey = newKeyEntry()
  const keyring = keyringOf(secretKey)
  const storage = await openPostgres(url, { keyring })
  await addMerchants(storage.merchants, merchants)
  await storage.close()
  return {
    env: { DATABASE_URL: url, SECRET_KEY: secretKey },
    snapshot: () => postgresSnapshot(url, keyring),
  }
}
