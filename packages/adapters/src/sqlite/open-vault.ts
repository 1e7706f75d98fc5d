// Prepares a SQLite database for decryption, with the given keys or with the key file next to the database.
import { existsSync } from 'node:fs'
import type { Keyring } from '../sealing/keyring.ts'
import { sealer } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import { keyFileOf, keyringBeside } from './key-file.ts'
import { adoptKeys, knownKeyIds } from './master-keys.ts'
import { sqliteVault, type Vault } from './vault.ts'

const hintAt = (path: string): string =>
  existsSync(keyFileOf(path)) ? ` The key that was made before SECRET_KEY was set is in ${keyFileOf(path)}.` : ''

/** Throws an error that names the missing or wrong key, and closes the database then. */
export const openVault = (db: Database, path: string, keyring: Keyring | null): Vault => {
  try {
    const keys = sealer(keyring ?? keyringBeside(path, knownKeyIds(db)))
    adoptKeys(db, keys, keyring === null ? '' : hintAt(path))
    return sqliteVault(db, keys)
  } catch (cause) {
    db.close()
    throw cause
  }
}
