// Key rotation in PostgreSQL: counts what each master key encrypts and re-encrypts it under the first one, page by page. If
// the process is killed, finished pages stay finished, and the next run finds the rest.
import * as E from 'fp-ts/lib/Either.js'
import { placeOfSecret } from '../rows/places.ts'
import type { KeyKeeping, KeyUse, Resealed } from '../sealing/key-keeping.ts'
import { type KeyProof, PLACE_OF_LOOKUP_KEY } from '../sealing/key-proofs.ts'
import { keyIdOfSecret, type Sealer } from '../sealing/sealer.ts'
import { bytesAt, bytesBeside } from './bytes-beside.ts'
import { type Connection, type Statement, trying } from './connection.ts'
import { knownKeys, useKey } from './master-keys.ts'
import { LOCK_MERCHANTS } from './merchants.ts'
import type { KeyColumns } from './vault.ts'

type Asking = Pick<Connection, 'query'>
type DataKeyRow = KeyColumns & { readonly number: number; readonly order_ref: string }
type SecretRow = { readonly id: number; readonly ref: string | null; readonly secret: string }

// Transactions that write data keys end before this lock is granted, and new ones wait for it.
const LOCK_DATA_KEYS: Statement = { name: 'data-keys-lock', text: 'lock table plazo.data_keys in share mode' }

const LAST_NUMBER: Statement = {
  name: 'orders-last',
  text: 'select coalesce(max(number), 0) as last from plazo.orders',
}

// The count reads the whole table, so a sequential scan is allowed for it.
const WHOLE_TABLE: Statement = { name: 'whole-table', text: 'set local enable_seqscan = on' }

const ORDERS_BY_KEY: Statement = {
  name: 'data-keys-by-key',
  text: 'select key_id as id, count(*) as orders from plazo.data_keys group by key_id',
}

/** For each table with secrets: the statements that read and write them. */
const SECRETS: readonly { readonly read: Statement; readonly write: Statement }[] = [
  {
    read: { name: 'secrets', text: 'select id, ref, signature_secret as secret from plazo.merchants' },
    write: { name: 'secret-seal', text: 'update plazo.merchants set signature_secret = $2 where id = $1' },
  },
  {
    read: {
      name: 'retired-secrets',
      text: `
        select r.id, m.ref, r.secret from plazo.retired_secrets r join plazo.merchants m on m.id = r.merchant_id`,
    },
    write: { name: 'retired-secret-seal', text: 'update plazo.retired_secrets set secret = $2 where id = $1' },
  },
  {
    read: { name: 'lookup-secret', text: 'select 1 as id, null as ref, secret from plazo.lookup_key' },
    write: { name: 'lookup-secret-seal', text: 'update plazo.lookup_key set secret = $2 where $1 = 1' },
  },
]

// Deletes the key's record only if nothing was encrypted under it since the count. Orders up to `$3` were counted, later ones
// are checked here, and every other writer has written another proof.
const FORGET: Statement = {
  name: 'master-key-forget',
  text: `
    delete from plazo.master_keys where id = $1 and proof = $2 and not exists (
      select from plazo.orders o join plazo.data_keys k on k.order_ref = o.order_ref
      where o.number > $3 and k.key_id = $1)`,
}

const PAGE: Statement = {
  name: 'data-keys-page',
  text: `
    select o.number, k.order_ref, k.key_id, k.tag, k.sealed
    from plazo.orders o join plazo.data_keys k on k.order_ref = o.order_ref
    where o.number > $1 order by o.number limit $2`,
}

// A data key that another process has re-encrypted or destroyed meanwhile stays as it is.
const RESEAL: Statement = {
  name: 'data-keys-reseal',
  text: `
    with job as materialized (
      select * from json_to_recordset($1) as j(order_ref uuid, was integer, key_id text, sealed integer)),
    locked as materialized (
      select order_ref from plazo.data_keys where order_ref in (select order_ref from job) order by order_ref for update)
    update plazo.data_keys k set key_id = j.key_id, sealed = ${bytesAt(2, 'j.sealed')}
    from job j join locked l on l.order_ref = j.order_ref
    where k.order_ref = j.order_ref and k.sealed = ${bytesAt(2, 'j.was')}
    returning k.order_ref`,
}

const SERVE: Statement = {
  name: 'master-key-serve',
  text: 'update plazo.master_keys set is_served = true where id = $1 and not is_served',
}

const IS_SERVED: Statement = {
  name: 'master-key-served',
  text: 'select is_served from plazo.master_keys where id = $1',
}

const placeOf = ({ ref }: SecretRow): string => (ref === null ? PLACE_OF_LOOKUP_KEY : placeOfSecret(ref))

const ordersByKey = async ({ query }: Asking): Promise<ReadonlyMap<string, number>> => {
  await query(WHOLE_TABLE)
  const rows = await query<{ readonly id: string; readonly orders: number }>(ORDERS_BY_KEY)
  return new Map(rows.map(({ id, orders }) => [id, orders]))
}

const secretsByKey = async ({ query }: Asking): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>()
  for (const { read } of SECRETS)
    for (const { secret } of await query<SecretRow>(read)) {
      const id = keyIdOfSecret(secret) ?? ''
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
  return counts
}

export const postgresKeyKeeping = (connection: Connection, sealer: Sealer): KeyKeeping => {
  const { query, transaction } = connection
  const [first] = sealer.keyIds

  const asOf = () =>
    transaction(async (ask) => {
      await ask(LOCK_DATA_KEYS)
      const [row] = await ask<{ readonly last: number }>(LAST_NUMBER)
      return { last: row?.last ?? 0, proofs: await knownKeys({ query: ask }) }
    })

  const forget = ({ id, proof }: KeyProof, last: number): Promise<unknown> =>
    transaction(async (ask) => {
      await ask(LOCK_DATA_KEYS)
      return ask(FORGET, id, proof, last)
    })

  const uses = async (): Promise<readonly KeyUse[]> => {
    const { last, proofs } = await asOf()
    const [orders, secrets] = await transaction(async (ask) => {
      const asked = { query: ask }
      return [await ordersByKey(asked), await secretsByKey(asked)] as const
    })
    const all = [...new Set([...sealer.keyIds, ...proofs.map(({ id }) => id), ...orders.keys()])].map((id) => ({
      id,
      orders: orders.get(id) ?? 0,
      secrets: secrets.get(id) ?? 0,
    }))
    // Nothing is encrypted under it any more, so a server may start without it.
    const unused = all.filter((use) => use.id !== first && use.orders + use.secrets === 0).map(({ id }) => id)
    for (const proof of proofs) if (unused.includes(proof.id)) await forget(proof, last)
    return all
  }

  const resealOrders = async (after: number, limit: number): Promise<Resealed> => {
    const rows = await query<DataKeyRow>(PAGE, after, limit)
    const jobs = rows
      .filter(({ key_id }) => key_id !== first)
      .map(({ order_ref, key_id, tag, sealed }) => {
        const anew = sealer.resealKey(order_ref, { keyId: key_id, tag, sealed })
        return { order_ref, was: sealed, key_id: anew.keyId, sealed: anew.sealed }
      })
    const resealed =
      jobs.length === 0
        ? []
        : await transaction(async (ask) => {
            const { json, value } = bytesBeside()
            const done = await ask(RESEAL, json(jobs, 'was', 'sealed'), value())
            await useKey({ query: ask }, sealer)
            return done
          })
    return { count: resealed.length, next: rows.length < limit ? null : (rows.at(-1)?.number ?? null) }
  }

  const resealSecrets = (): Promise<number> =>
    transaction(async (ask) => {
      await ask(LOCK_MERCHANTS)
      let count = 0
      for (const { read, write } of SECRETS)
        for (const row of await ask<SecretRow>(read))
          if (keyIdOfSecret(row.secret) !== first) {
            const place = placeOf(row)
            await ask(write, row.id, sealer.sealSecret(place, sealer.openSecret(place, row.secret)))
            count += 1
          }
      if (count > 0) await useKey({ query: ask }, sealer)
      return count
    })

  return {
    uses: () => trying(async () => E.right(await uses())),
    serve: () =>
      trying(async () => {
        await query(SERVE, first)
        return E.right(undefined)
      }),
    isServed: () =>
      trying(async () => E.right((await query<{ is_served: boolean }>(IS_SERVED, first))[0]?.is_served ?? false)),
    resealOrders: (after, limit) => trying(async () => E.right(await resealOrders(after, limit))),
    resealSecrets: () => trying(async () => E.right(await resealSecrets())),
  }
}
