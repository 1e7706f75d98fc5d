// Records which master keys encrypt a PostgreSQL database. A server whose keys cannot decrypt it
// does not start.
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
import { type Query, statement } from '../connection/connection.ts'

const READ_KEYS = statement('master-keys')`select id, proof from plazo.master_keys order by id`

const ORDERS_UNDER = statement(
  'master-key-orders',
)`select count(*) as orders from plazo.data_keys where key_id = $1`

const INSERT_KEY = statement('master-key-adopt')`
  insert into plazo.master_keys (id, proof) values ($1, $2) on conflict do nothing returning id`

const REGISTER_KEY = statement('master-key-use')`
  insert into plazo.master_keys (id, proof) values ($1, $2)
  on conflict (id) do update set proof = excluded.proof`

const INSERT_LOOKUP_KEY = statement('lookup-key-make')`
  insert into plazo.lookup_key (only_one, secret) values (true, $1) on conflict do nothing`

const READ_LOOKUP_KEY = statement('lookup-key')`select secret from plazo.lookup_key`

/** The keys that may still encrypt something. */
export const knownKeys = (query: Query): Promise<readonly KeyCheckValue[]> =>
  query<KeyCheckValue>(READ_KEYS)

/**
 * A part of a statement that encrypts many data keys. A key rotation deletes a master key's record
 * once nothing is encrypted under it any more. A server that still encrypts under it adds the
 * record again. `id`, `proof`: the SQL parameters.
 */
export const registerKeySql = (id: string, proof: string): string => `
  insert into plazo.master_keys (id, proof)
  select ${id}::text, ${proof}::text where not exists (select from plazo.master_keys where id = ${id}::text)
  on conflict do nothing`

/**
 * Records the current master key, as the last statement of a transaction that encrypts something.
 * It writes a new proof. If the key's record is being deleted, it is either kept or added again.
 */
export const registerKey = (query: Query, cipher: Cipher): Promise<unknown> =>
  query(REGISTER_KEY, cipher.keyIds[0], createCheckValue(cipher))

/**
 * Throws an error that names the missing or wrong key. Records the key that encrypts from now on.
 */
export const adoptKeys = async (query: Query, cipher: Cipher): Promise<void> => {
  const checkValues = await knownKeys(query)
  const missing = findMissingKey(cipher, checkValues)
  if (missing !== undefined) {
    const [counted] = await query<{ readonly orders: number }>(ORDERS_UNDER, missing)
    throw new Error(missingKeyMessage(missing, counted?.orders ?? 0))
  }
  assertKeysMatch(cipher, checkValues)
  const [first] = cipher.keyIds
  if (checkValues.some(({ id }) => id === first)) return
  const adopted = await query(INSERT_KEY, first, createCheckValue(cipher))
  // Another node was first, perhaps with another key under this id.
  if (adopted.length === 0) await adoptKeys(query, cipher)
}

/** The keyed hash for lookups. It is the same in every process that opens the database. */
export const loadKeyedHash = async (query: Query, cipher: Cipher): Promise<KeyedHash> => {
  await query(
    INSERT_LOOKUP_KEY,
    cipher.encryptSecret(AAD_LOOKUP_KEY, randomBytes(32).toString('base64')),
  )
  const [row] = await query<{ readonly secret: string }>(READ_LOOKUP_KEY)
  return createKeyedHash(cipher, row?.secret ?? '')
}
