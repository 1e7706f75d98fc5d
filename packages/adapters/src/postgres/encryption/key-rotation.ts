// Key rotation in PostgreSQL: counts what each master key encrypts and re-encrypts it under the
// first one, page by page. If the process is killed, finished pages stay finished, and the next run
// finds the rest.
import type { Cipher, EncryptedDataKey } from '../../encryption/cipher.ts'
import {
  countKeyUsage,
  type KeyCheckValue,
  type KeyRotation,
  type KeyUsage,
  type ReencryptedPage,
  reencryptSecret,
  type SecretRow,
} from '../../encryption/master-keys.ts'
import { type Connection, type Query, statement } from '../connection/connection.ts'
import { LOCK_MERCHANTS } from '../merchants.ts'
import { bytes } from '../sql/values.ts'
import { answerOrUnavailable } from '../unavailable.ts'
import { knownKeys, registerKey } from './master-keys.ts'

type DataKeyRow = EncryptedDataKey & { readonly id: number; readonly order_ref: string }

// Transactions that write data keys end before this lock is granted, and new ones wait for it.
const LOCK_DATA_KEYS = statement('data-keys-lock')`lock table plazo.data_keys in share mode`

const LAST_ORDER = statement('orders-last')`select coalesce(max(id), 0) as last from plazo.orders`

// The count reads the whole table, so a sequential scan is allowed for it.
const WHOLE_TABLE = statement('whole-table')`set local enable_seqscan = on`

const ORDERS_BY_KEY = statement('data-keys-by-key')`
  select key_id as id, count(*) as orders from plazo.data_keys group by key_id`

/** For each table with secrets: the statements that read and write them. */
const SECRETS = [
  {
    read: statement('secrets')`select id, ref, secrets as secret from plazo.merchants`,
    write: statement('secrets-reencrypt')`update plazo.merchants set secrets = $2 where id = $1`,
  },
  {
    read: statement('lookup-secret')`select 1 as id, null as ref, secret from plazo.lookup_key`,
    write: statement(
      'lookup-secret-reencrypt',
    )`update plazo.lookup_key set secret = $2 where $1 = 1`,
  },
]

// Deletes the key's record only if nothing was encrypted under it since the count. Orders up to
// `$3` were counted, later ones are checked here, and every other writer has written another proof.
const DELETE_KEY = statement('master-key-delete')`
  delete from plazo.master_keys where id = $1 and proof = $2 and not exists (
    select from plazo.data_keys k where k.order_id > $3 and k.key_id = $1)`

const PAGE = statement('data-keys-page')`
  select o.id, o.order_ref, k.key_id as "keyId", k.tag, k.ciphertext
  from plazo.orders o join plazo.data_keys k on k.order_id = o.id
  where o.id > $1 order by o.id limit $2`

// A data key that another process has re-encrypted or destroyed meanwhile stays as it is.
const REENCRYPT = statement('data-keys-reencrypt')`
  with new_keys as materialized (
    select * from json_to_recordset($1) as j(order_id bigint, old_ciphertext text, key_id text, ciphertext text)),
  locked_keys as materialized (
    select order_id from plazo.data_keys where order_id in (select order_id from new_keys) order by order_id for update)
  update plazo.data_keys k set key_id = j.key_id, ciphertext = ${bytes('j.ciphertext')}
  from new_keys j join locked_keys l on l.order_id = j.order_id
  where k.order_id = j.order_id and k.ciphertext = ${bytes('j.old_ciphertext')}
  returning k.order_id`

const MARK_IN_USE = statement('master-key-mark-in-use')`
  update plazo.master_keys set is_in_use = true where id = $1 and not is_in_use`

const IS_IN_USE = statement(
  'master-key-in-use',
)`select is_in_use from plazo.master_keys where id = $1`

const ordersByKey = async (query: Query): Promise<ReadonlyMap<string, number>> => {
  await query(WHOLE_TABLE)
  const rows = await query<{ readonly id: string; readonly orders: number }>(ORDERS_BY_KEY)
  return new Map(rows.map(({ id, orders }) => [id, orders]))
}

const readSecrets = async (query: Query): Promise<readonly SecretRow[]> => {
  const secrets: SecretRow[] = []
  for (const { read } of SECRETS) secrets.push(...(await query<SecretRow>(read)))
  return secrets
}

export const postgresKeyRotation = (connection: Connection, cipher: Cipher): KeyRotation => {
  const { query, transaction } = connection
  const [first] = cipher.keyIds

  const readKeyState = () =>
    transaction(async (ask) => {
      await ask(LOCK_DATA_KEYS)
      const [row] = await ask<{ readonly last: number }>(LAST_ORDER)
      return { last: row?.last ?? 0, proofs: await knownKeys(ask) }
    })

  const deleteKey = ({ id, proof }: KeyCheckValue, last: number): Promise<unknown> =>
    transaction(async (ask) => {
      await ask(LOCK_DATA_KEYS)
      return ask(DELETE_KEY, id, proof, last)
    })

  const readUsage = async (): Promise<readonly KeyUsage[]> => {
    const { last, proofs } = await readKeyState()
    const [orders, secrets] = await transaction(
      async (ask) => [await ordersByKey(ask), await readSecrets(ask)] as const,
    )
    const proofIds = proofs.map(({ id }) => id)
    const all = countKeyUsage(cipher, proofIds, orders, secrets)
    // Nothing is encrypted under it any more, so a server may start without it.
    const unused = all
      .filter((use) => use.id !== first && use.orders + use.secrets === 0)
      .map(({ id }) => id)
    for (const proof of proofs) if (unused.includes(proof.id)) await deleteKey(proof, last)
    return all
  }

  const reencryptOrders = async (after: number, limit: number): Promise<ReencryptedPage> => {
    const rows = await query<DataKeyRow>(PAGE, after, limit)
    const jobs = rows
      .filter(({ keyId }) => keyId !== first)
      .map((row) => {
        const { keyId, ciphertext } = cipher.reencryptKey(row.order_ref, row)
        return {
          order_id: row.id,
          old_ciphertext: row.ciphertext.toString('base64'),
          key_id: keyId,
          ciphertext: ciphertext.toString('base64'),
        }
      })
    const updated =
      jobs.length === 0
        ? []
        : await transaction(async (ask) => {
            const done = await ask(REENCRYPT, JSON.stringify(jobs))
            await registerKey(ask, cipher)
            return done
          })
    return {
      count: updated.length,
      next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
    }
  }

  const reencryptSecrets = (): Promise<number> =>
    transaction(async (ask) => {
      await ask(LOCK_MERCHANTS)
      let count = 0
      for (const { read, write } of SECRETS)
        for (const row of await ask<SecretRow>(read)) {
          const secret = reencryptSecret(cipher, row)
          if (secret === null) continue
          await ask(write, row.id, secret)
          count += 1
        }
      if (count > 0) await registerKey(ask, cipher)
      return count
    })

  return {
    usage: () => answerOrUnavailable(readUsage),
    markInUse: () =>
      answerOrUnavailable(async () => {
        await query(MARK_IN_USE, first)
      }),
    isInUse: () =>
      answerOrUnavailable(
        async () => (await query<{ is_in_use: boolean }>(IS_IN_USE, first))[0]?.is_in_use ?? false,
      ),
    reencryptOrders: (after, limit) => answerOrUnavailable(() => reencryptOrders(after, limit)),
    reencryptSecrets: () => answerOrUnavailable(reencryptSecrets),
  }
}
