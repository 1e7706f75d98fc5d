// Which master keys a PostgreSQL database is sealed under, and that those given open it.
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

/** The keys that something may be sealed under. */
export const knownKeys = ({ query }: Asking): Promise<readonly KeyProof[]> => query<KeyProof>(KNOWN)

/**
 * To be part of a statement that seals many data keys: a key whose last use was sealed anew is forgotten by whoever did
 * that, and a server that still seals under it says so. `id`, `proof`: the parameters that hold them.
 */
export const keyIsUsed = (id: string, proof: string): string => `
  insert into plazo.master_keys (id, proof)
  select ${id}::text, ${proof}::text where not exists (select from plazo.master_keys where id = ${id}::text)
  on conflict do nothing`

/** The same for a transaction that seals something, last in it: a key that is being forgotten is not, or is there again. */
export const useKey = ({ query }: Asking, sealer: Sealer): Promise<unknown> =>
  query(USE, sealer.keyIds[0], proofOfKey(sealer))

/** Throws a line that names the key that is missing or wrong; writes down the one that seals from now on. */
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
  // Another node came first, maybe with another key of that name.
  if (adopted.length === 0) await adoptKeys(connection, sealer)
}

/** The same in every process that opens the database. */
export const lookUpIn = async ({ query }: Connection, sealer: Sealer): Promise<LookUp> => {
  await query(MAKE_LOOKUP_KEY, sealer.sealSecret(PLACE_OF_LOOKUP_KEY, randomBytes(32).toString('base64')))
  const [row] = await query<{ readonly secret: string }>(LOOKUP_KEY)
  return lookUpWith(sealer, row?.secret ?? '')
}
