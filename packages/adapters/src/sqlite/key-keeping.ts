// Master key rotation in SQLite: counts what each key encrypts, and re-encrypts it under the first one.
import * as E from 'fp-ts/lib/Either.js'
import { placeOfSecret } from '../rows/places.ts'
import type { KeyKeeping, KeyUse, Resealed } from '../sealing/key-keeping.ts'
import { PLACE_OF_LOOKUP_KEY } from '../sealing/key-proofs.ts'
import { keyIdOfSecret, type SealedDataKey, type Sealer } from '../sealing/sealer.ts'
import type { Database } from './database.ts'
import { knownKeyIds } from './master-keys.ts'
import { trying } from './trying.ts'

type DataKeyRow = SealedDataKey & { readonly orderId: number; readonly orderRef: string }
type SecretRow = { readonly id: number; readonly place: string; readonly secret: string }

/** All secrets of the database, each group with the statement that updates it. */
const secretsIn = (db: Database) => {
  const merchants = db.prepare<[], { id: number; ref: string; secret: string }>(
    'select id, ref, signature_secret as secret from merchants',
  )
  const retired = db.prepare<[], { id: number; ref: string; secret: string }>(
    'select r.id, m.ref, r.secret from retired_secrets r join merchants m on m.id = r.merchant_id',
  )
  const lookup = db.prepare<[], { id: number; secret: string }>('select only as id, secret from lookup_key')
  const [writeMerchant, writeRetired, writeLookup] = [
    db.prepare('update merchants set signature_secret = ? where id = ?'),
    db.prepare('update retired_secrets set secret = ? where id = ?'),
    db.prepare('update lookup_key set secret = ? where only = ?'),
  ]
  const placed = ({ ref, ...row }: { id: number; ref: string; secret: string }): SecretRow => ({
    ...row,
    place: placeOfSecret(ref),
  })
  return () => [
    { write: writeMerchant, rows: merchants.all().map(placed) },
    { write: writeRetired, rows: retired.all().map(placed) },
    { write: writeLookup, rows: lookup.all().map((row): SecretRow => ({ ...row, place: PLACE_OF_LOOKUP_KEY })) },
  ]
}

export const sqliteKeyKeeping = (db: Database, sealer: Sealer): KeyKeeping => {
  const [first] = sealer.keyIds
  const dataKeys = db.prepare<[number, number], DataKeyRow>(`
    select k.order_id as orderId, o.order_ref as orderRef, k.key_id as keyId, k.tag, k.sealed
    from data_keys k join orders o on o.id = k.order_id where k.order_id > ? order by k.order_id limit ?`)
  const writeDataKey = db.prepare('update data_keys set key_id = ?, sealed = ? where order_id = ?')
  const orderCounts = db.prepare<[], { id: string; count: number }>(
    'select key_id as id, count(*) as count from data_keys group by key_id',
  )
  const serve = db.prepare('update master_keys set is_served = 1 where id = ? and is_served = 0')
  const isServed = db.prepare<[string], number>('select is_served from master_keys where id = ?').pluck()
  const forget = db.prepare('delete from master_keys where id = ?')
  const secrets = secretsIn(db)

  const resealOrders = db.transaction((after: number, limit: number): Resealed => {
    const rows = dataKeys.all(after, limit)
    const old = rows.filter(({ keyId }) => keyId !== first)
    for (const row of old) {
      const { keyId, sealed } = sealer.resealKey(row.orderRef, row)
      writeDataKey.run(keyId, sealed, row.orderId)
    }
    return { count: old.length, next: rows.length < limit ? null : (rows.at(-1)?.orderId ?? null) }
  })

  const resealSecrets = db.transaction((): number => {
    let count = 0
    for (const { write, rows } of secrets())
      for (const { id, place, secret } of rows)
        if (keyIdOfSecret(secret) !== first) {
          write.run(sealer.sealSecret(place, sealer.openSecret(place, secret)), id)
          count += 1
        }
    return count
  })

  const uses = (): readonly KeyUse[] => {
    const orders = new Map(orderCounts.all().map(({ id, count }) => [id, count]))
    const ofSecrets = Map.groupBy(
      secrets().flatMap(({ rows }) => rows),
      ({ secret }) => keyIdOfSecret(secret) ?? '',
    )
    return [...new Set([...sealer.keyIds, ...knownKeyIds(db), ...orders.keys()])].map((id) => ({
      id,
      orders: orders.get(id) ?? 0,
      secrets: ofSecrets.get(id)?.length ?? 0,
    }))
  }

  return {
    uses: () =>
      trying(() => {
        const all = uses()
        // Nothing is encrypted under this key any more, so a start without it must succeed.
        for (const { id, orders, secrets } of all) if (id !== first && orders + secrets === 0) forget.run(id)
        return E.right(all)
      }),
    serve: () =>
      trying(() => {
        serve.run(first)
        return E.right(undefined)
      }),
    isServed: () => trying(() => E.right(isServed.get(first) === 1)),
    resealOrders: (after, limit) => trying(() => E.right(resealOrders.immediate(after, limit))),
    resealSecrets: () => trying(() => E.right(resealSecrets.immediate())),
  }
}
