// The master keys of a SQLite database: those from SECRET_KEY, or the one that it creates
// for itself in a file next to its database (Contract §7). The database records which keys it is
// encrypted under, so that a missing or wrong key is noticed.
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { errorMessage } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { type Cipher, createCipher } from '../../encryption/cipher.ts'
import { type Keyring, newKeyEntry, newKeyring, parseKeyring } from '../../encryption/keyring.ts'
import {
  assertKeysMatch,
  createKeyedHash,
  createLookupKey,
  createProof,
  type KeyedHash,
  type MasterKeyRow,
  masterKeysSql,
} from '../../encryption/master-keys.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import type { Database } from '../schema/database.ts'

/**
 * Encrypts with the given keys, or with those of the key file. Records the first key, which
 * encrypts from now on. Throws an error that names the missing or wrong key.
 */
export const openCipher = (db: Database, keyring: Keyring | null): Cipher => {
  const cipher = createCipher(keyring ?? loadOrCreateKeyring(db))
  const { keyIds } = cipher
  const rows = db
    .prepare<[string], MasterKeyRow>(masterKeysSql('', 'id in (select value from json_each(?))'))
    .all(JSON.stringify(keyIds))
  assertKeysMatch(cipher, rows)
  if (!rows.some(({ id }) => id === keyIds[0])) {
    db.prepare('insert or ignore into lookup_key values (1, ?)').run(createLookupKey(cipher))
    db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)').run(
      keyIds[0],
      createProof(cipher),
    )
  }
  return cipher
}

/** The keyed hash of this database. It is the same in every process that opens the database. */
export const loadKeyedHash = (db: Database, cipher: Cipher): KeyedHash =>
  createKeyedHash(
    cipher,
    db.prepare<[], string>('select secret from lookup_key').pluck().get() ?? '',
  )

/**
 * Where the key of a database is that was opened without SECRET_KEY. Keep the file, but not with
 * the backups of the database.
 */
export const keyFilePath = (path: string): string => `${path}.key`

// No new key replaces one that the database is already encrypted under.
const loadOrCreateKeyring = (db: Database): Keyring => {
  if (db.memory) return newKeyring()
  const file = keyFilePath(db.name)
  if (!existsSync(file)) {
    const usedKeyIds = db.prepare<[], string>('select id from master_keys').pluck().all()
    if (usedKeyIds.length > 0)
      throw new Error(
        `SECRET_KEY is not set, and ${file} is missing. The database is encrypted under the key "${usedKeyIds.join('", "')}". For a backup, copy the key file of the original database.`,
      )
    createKeyFile(file)
  }
  const text = E.tryCatch(() => readFileSync(file, 'utf8').trim(), errorMessage)
  const keyring = E.flatMap(parseKeyring)(text)
  if (E.isRight(keyring)) return keyring.right
  throw new Error(
    `The database’s key file ${file} cannot be read: ${keyring.left}. Make it readable, or restore it from a copy.`,
  )
}

// The file is complete before it gets its name. If two processes start together, one creates it and
// both read the same key.
const createKeyFile = (file: string): void => {
  const draft = `${file}.${process.pid}`
  try {
    // Only its owner can read it.
    writeFileSync(draft, `${newKeyEntry()}\n`, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (cause) {
    if (errorCodeOf(cause) !== 'EEXIST') throw cause
  } finally {
    rmSync(draft, { force: true })
  }
}
