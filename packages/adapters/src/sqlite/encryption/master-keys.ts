// Records which master keys a SQLite database is encrypted under, and checks that the given keys are the same.
import { randomBytes } from 'node:crypto'
import type { Cipher } from '../../encryption/cipher.ts'
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
import type { Database } from '../schema/database.ts'

/** The ids of the keys that something may be encrypted under. */
export const knownKeyIds = (db: Database): readonly string[] =>
  db.prepare<[], string>('select id from master_keys order by id').pluck().all()

const countOrdersUnder = (db: Database, id: string): number =>
  db.prepare<[string], number>('select count(*) from data_keys where key_id = ?').pluck().get(id) ?? 0

/** Throws an error that names the missing or wrong key. Records the first key, which encrypts from now on. */
export const adoptKeys = (db: Database, cipher: Cipher, hint = ''): void => {
  const checkValues = db.prepare<[], KeyCheckValue>('select id, proof from master_keys').all()
  const missing = findMissingKey(cipher, checkValues)
  if (missing !== undefined) throw new Error(`${missingKeyMessage(missing, countOrdersUnder(db, missing))}${hint}`)
  assertKeysMatch(cipher, checkValues)
  const [first] = cipher.keyIds
  if (!checkValues.some(({ id }) => id === first))
    db.prepare('insert or ignore into master_keys (id, proof) values (?, ?)').run(first, createCheckValue(cipher))
}

/** The keyed hash of this database. It is the same in every process that opens the database. */
export const loadKeyedHash = (db: Database, cipher: Cipher): KeyedHash => {
  const find = db.prepare<[], string>('select secret from lookup_key').pluck()
  if (find.get() === undefined)
    db.prepare('insert or ignore into lookup_key (only, secret) values (1, ?)').run(
      cipher.encryptSecret(AAD_LOOKUP_KEY, randomBytes(32).toString('base64')),
    )
  return createKeyedHash(cipher, find.get() ?? '')
}
