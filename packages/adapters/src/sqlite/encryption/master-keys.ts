// The master keys of a SQLite database: those from SECRET_KEY, or the one that it creates
// for itself in a file next to its database (Contract §7). The database records which keys it is
// encrypted under, so that a missing or wrong key is noticed.
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { errorMessage } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { type Cipher, createCipher } from '../../encryption/cipher.ts'
import { type Keyring, newKeyEntry, newKeyring, parseKeyring } from '../../encryption/keyring.ts'
import {
  AAD_LOOKUP_KEY,
  assertKeysMatch,
  createCheckValue,
  createKeyedHash,
  findMissingKey,
  type KeyCheckValue,
  type KeyedHash,
  missingKeyMessage,
} from '../../encryption/master-keys.ts'
import { errorCodeOf } from '../../system/error-code.ts'
import type { Database } from '../schema/database.ts'

/**
 * Encrypts with the given keys, or with those of the key file. Records the first key, which
 * encrypts from now on. Throws an error that names the missing or wrong key.
 */
export const openCipher = (db: Database, path: string, keyring: Keyring | null): Cipher => {
  const cipher = createCipher(keyring ?? loadOrCreateKeyring(path, knownKeyIds(db)))
  const checkValues = db.prepare<[], KeyCheckValue>('select id, proof from master_keys').all()
  const missing = findMissingKey(cipher, checkValues)
  if (missing !== undefined) {
    const hint = keyring === null ? '' : keyFileHint(path)
    throw new Error(`${missingKeyMessage(missing, countOrdersUnder(db, missing))}${hint}`)
  }
  assertKeysMatch(cipher, checkValues)
  const [first] = cipher.keyIds
  if (!checkValues.some(({ id }) => id === first))
    db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)').run(
      first,
      createCheckValue(cipher),
    )
  return cipher
}

/** The ids of the keys that something may be encrypted under. */
export const knownKeyIds = (db: Database): readonly string[] =>
  db.prepare<[], string>('select id from master_keys order by id').pluck().all()

const countOrdersUnder = (db: Database, id: string): number =>
  db.prepare<[string], number>('select count(*) from data_keys where key_id = ?').pluck().get(id) ??
  0

/** The keyed hash of this database. It is the same in every process that opens the database. */
export const loadKeyedHash = (db: Database, cipher: Cipher): KeyedHash => {
  const find = db.prepare<[], string>('select secret from lookup_key').pluck()
  if (find.get() === undefined)
    db.prepare('insert or ignore into lookup_key (only, secret) values (1, ?)').run(
      cipher.encryptSecret(AAD_LOOKUP_KEY, randomBytes(32).toString('base64')),
    )
  return createKeyedHash(cipher, find.get() ?? '')
}

/**
 * Where the key of a database is that was opened without SECRET_KEY. Keep the file, but not with
 * the backups of the database.
 */
export const keyFilePath = (path: string): string => `${path}.key`

const keyFileHint = (path: string): string =>
  existsSync(keyFilePath(path))
    ? ` The key that was generated before SECRET_KEY was set is in ${keyFilePath(path)}.`
    : ''

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

const readKeyFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw new Error(
      `The database’s key file ${file} cannot be read: ${errorMessage(cause)}. Make it readable, or restore it from a copy.`,
    )
  }
}

/**
 * `usedKeyIds`: the keys that the database is already encrypted under. If there are any, no new key
 * replaces them.
 */
const loadOrCreateKeyring = (path: string, usedKeyIds: readonly string[]): Keyring => {
  if (path === ':memory:') return newKeyring()
  const file = keyFilePath(path)
  if (!existsSync(file)) {
    if (usedKeyIds.length > 0)
      throw new Error(
        `SECRET_KEY is not set, and ${file} is missing. The database is encrypted under the key ${usedKeyIds.map((id) => JSON.stringify(id)).join(' and the key ')}. For a backup, copy the key file of the original database.`,
      )
    createKeyFile(file)
  }
  const keyring = parseKeyring(readKeyFile(file))
  if (E.isLeft(keyring)) throw new Error(`${file} contains no valid key: ${keyring.left}.`)
  return keyring.right
}
