// Records which master keys encrypt a PostgreSQL database. A server whose keys cannot decrypt it
// does not start.
import type { Cipher } from '../../encryption/cipher.ts'
import {
  assertKeysMatch,
  createKeyedHash,
  createLookupKey,
  createProof,
  type KeyedHash,
  type MasterKeyRow,
  masterKeysSql,
} from '../../encryption/master-keys.ts'
import { type Connection, statement } from '../connection/connection.ts'

// Of nodes that start at once with different keys of one id, one inserts it. The others wait for it,
// and then find its key.
const INSERT_KEY = statement('master-key-adopt')`
  insert into plazo.master_keys (id, proof) values ($1, $2) on conflict do nothing`

const READ_KEYS = statement('master-keys')`${masterKeysSql('plazo.', 'id = any ($1)')}`

// Returns the key that exists, or the new one.
const LOOKUP_KEY = statement('lookup-key')`
  insert into plazo.lookup_key as k (only_one, secret) values (true, $1)
  on conflict (only_one) do update set secret = k.secret returning secret`

/**
 * Records the key that encrypts from now on. Returns the keyed hash for lookups, which is the same
 * in every process that opens the database. Rejects with an error that names the missing or wrong
 * key, and then records nothing.
 */
export const adoptKeys = ({ transaction }: Connection, cipher: Cipher): Promise<KeyedHash> =>
  transaction(async (query) => {
    await query(INSERT_KEY, cipher.keyIds[0], createProof(cipher))
    assertKeysMatch(cipher, await query<MasterKeyRow>(READ_KEYS, cipher.keyIds))
    const [row] = await query<{ readonly secret: string }>(LOOKUP_KEY, createLookupKey(cipher))
    return createKeyedHash(cipher, row?.secret ?? '')
  })
