// Records which master keys encrypt a PostgreSQL database. A server whose keys cannot decrypt it does not start.
import { randomBytes } from 'node:crypto'
import {
  checkProofs,
  type KeyProof,
  keyIsMissing,
  type LookUp,
  lookUpWith,
  missingOf,
  PLACE_OF_LOOKUP_KEY,
  proofOfKey,
} from '../sealing/key-proofs.ts'
import type { Sealer } from '../sealing/sealer.ts'
import type { Connection, Statement } from './connection.ts'

type Asking = Pick<Connection, 'query'>

const KNOWN: Statement = { name: 'master-keys', text: 'select id, proof from plazo.master_keys order by id' }

const ORDERS_UNDER: Statement = {
  name: 'master-key-orders',
  text: 'select count(*) as orders from plazo.data_keys where key_id = $1',
}

const ADOPT: Statement = {
  name: 'master-key-adopt',
  text: 'insert into plazo.master_keys (id, proof) values ($1, $2) on conflict do nothing returning id',
}

const USE: Statement = {
  name: 'master-key-use',
  text: `
    insert into plazo.master_keys (id, proof) values ($1, $2)
    on conflict (id) do update set proof = excluded.proof`,
}

const MAKE_LOOKUP_KEY: Statement = {
  name: 'lookup-key-make',
  text: 'insert into plazo.lookup_key (only_one, secret) values (true, $1) on conflict do nothing',
}

const LOOKUP_KEY: Statement = { name: 'lookup-key', text: 'select secret from plazo.lookup_key' }

/** The keys that may still encrypt something. */
export const knownKeys = ({ query }: Asking): Promise<readonly KeyProof[]> => query<KeyProof>(KNOWN)

/**
 * A part of a statement that encrypts many data keys. A key rotation deletes a master key's record once nothing is encrypted
 * under it any more. A server that still encrypts under it adds the record again. `id`, `proof`: the SQL parameters.
 */
export const keyIsUsed = (id: string, proof: string): string => `
  insert into plazo.master_keys (id, proof)
  select ${id}::text, ${proof}::text where not exists (select from plazo.master_keys where id = ${id}::text)
  on conflict do nothing`

/**
 * The same as the last statement of a transaction that encrypts something. It writes a new proof. If the key's record is being
 * deleted, it is either kept or added again.
 */
export const useKey = ({ query }: Asking, sealer: Sealer): Promise<unknown> =>
  query(USE, sealer.keyIds[0], proofOfKey(sealer))

/** Throws an error that names the missing or wrong key. Records the key that encrypts from now on. */
export const adoptKeys = async (connection: Connection, sealer: Sealer): Promise<void> => {
  const { query } = connection
  const proofs = await knownKeys(connection)
  const [missing] = missingOf(sealer, proofs)
  if (missing !== undefined) {
    const [counted] = await query<{ readonly orders: number }>(ORDERS_UNDER, missing)
    throw new Error(keyIsMissing(missing, counted?.orders ?? 0))
  }
  checkProofs(sealer, proofs)
  const [first] = sealer.keyIds
  if (proofs.some(({ id }) => id === first)) return
  const adopted = await query(ADOPT, first, proofOfKey(sealer))
  // Another node was first, perhaps with another key under this id.
  if (adopted.length === 0) await adoptKeys(connection, sealer)
}

/** The keyed hash for lookups. It is the same in every process that opens the database. */
export const lookUpIn = async ({ query }: Connection, sealer: Sealer): Promise<LookUp> => {
  await query(MAKE_LOOKUP_KEY, sealer.sealSecret(PLACE_OF_LOOKUP_KEY, randomBytes(32).toString('base64')))
  const [row] = await query<{ readonly secret: string }>(LOOKUP_KEY)
  return lookUpWith(sealer, row?.secret ?? '')
}
