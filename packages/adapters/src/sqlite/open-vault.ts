// Prepares a SQLite database for decryption, with the given keys or with the key file next to the database.
import { existsSync } from 'node:fs'
import type { Keyring } from '../sealing/keyring.ts'
import { createCipher } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import { keyFilePath, loadOrCreateKeyring } from './key-file.ts'
import { adoptKeys, knownKeyIds } from './master-keys.ts'
import { type DataKeys, sqliteDataKeys } from './vault.ts'

const keyFileHint = (path: string): string =>
  existsSync(keyFilePath(path)) ? ` The key that was made before SECRET_KEY was set is in ${keyFilePath(path)}.` : ''

/** Throws an error that names the missing or wrong key, and closes the database then. */
export const openDataKeys = (db: Database, path: string, keyring: Keyring | null): DataKeys => {
  try {
    const keys = createCipher(keyring ?? loadOrCreateKeyring(path, knownKeyIds(db)))
    adoptKeys(db, keys, keyring === null ? '' : keyFileHint(path))
    return sqliteDataKeys(db, keys)
  } catch (cause) {
    db.close()
    throw cause
  }
}
