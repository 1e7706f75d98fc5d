// Master key rotation in SQLite: counts what each key encrypts, and re-encrypts it under the first
// one.
import * as E from 'fp-ts/lib/Either.js'
import type { Cipher, EncryptedDataKey } from '../../encryption/cipher.ts'
import {
  countKeyUsage,
  type KeyRotation,
  type KeyUsage,
  type ReencryptedPage,
  reencryptSecret,
  type SecretRow,
} from '../../encryption/master-keys.ts'
import type { Database } from '../schema/database.ts'
import { valueOrUnavailable, writeOrUnavailable } from '../unavailable.ts'
import { knownKeyIds } from './master-keys.ts'

type DataKeyRow = EncryptedDataKey & { readonly orderId: number; readonly orderRef: string }

/** All secrets of the database, each group with the statement that updates it. */
const SECRETS = [
  {
    read: 'select id, ref, secrets as secret from merchants',
    write: 'update merchants set secrets = ? where id = ?',
  },
  {
    read: 'select only as id, null as ref, secret from lookup_key',
    write: 'update lookup_key set secret = ? where only = ?',
  },
]

export const sqliteKeyRotation = (db: Database, cipher: Cipher): KeyRotation => {
  const [first] = cipher.keyIds
  const dataKeys = db.prepare<[number, number], DataKeyRow>(`
    select k.order_id as orderId, o.order_ref as orderRef, k.key_id as keyId, k.tag, k.ciphertext
    from data_keys k join orders o on o.id = k.order_id where k.order_id > ? order by k.order_id limit ?`)
  const writeDataKey = db.prepare(
    'update data_keys set key_id = ?, ciphertext = ? where order_id = ?',
  )
  const orderCounts = db.prepare<[], { id: string; count: number }>(
    'select key_id as id, count(*) as count from data_keys group by key_id',
  )
  const markInUse = db.prepare(
    'update master_keys set is_in_use = 1 where id = ? and is_in_use = 0',
  )
  const isInUse = db
    .prepare<[string], number>('select is_in_use from master_keys where id = ?')
    .pluck()
  const deleteKey = db.prepare('delete from master_keys where id = ?')
  const secrets = SECRETS.map(({ read, write }) => ({
    read: db.prepare<[], SecretRow>(read),
    write: db.prepare(write),
  }))

  const reencryptOrders = db.transaction((after: number, limit: number): ReencryptedPage => {
    const rows = dataKeys.all(after, limit)
    const outdated = rows.filter(({ keyId }) => keyId !== first)
    for (const row of outdated) {
      const { keyId, ciphertext } = cipher.reencryptKey(row.orderRef, row)
      writeDataKey.run(keyId, ciphertext, row.orderId)
    }
    return {
      count: outdated.length,
      next: rows.length < limit ? null : (rows.at(-1)?.orderId ?? null),
    }
  })

  const reencryptSecrets = db.transaction((): number => {
    let count = 0
    for (const { read, write } of secrets)
      for (const row of read.all()) {
        const secret = reencryptSecret(cipher, row)
        if (secret === null) continue
        write.run(secret, row.id)
        count += 1
      }
    return count
  })

  const readUsage = (): readonly KeyUsage[] => {
    const orders = new Map(orderCounts.all().map(({ id, count }) => [id, count]))
    const secretRows = secrets.flatMap(({ read }) => read.all())
    return countKeyUsage(cipher, knownKeyIds(db), orders, secretRows)
  }

  return {
    usage: () =>
      writeOrUnavailable(db, () => {
        const all = readUsage()
        // Nothing is encrypted under this key any more, so a start without it must succeed.
        for (const { id, orders, secrets } of all)
          if (id !== first && orders + secrets === 0) deleteKey.run(id)
        return E.right(all)
      }),
    markInUse: () => writeOrUnavailable(db, () => E.right(void markInUse.run(first))),
    isInUse: () => valueOrUnavailable(() => isInUse.get(first) === 1),
    reencryptOrders: (after, limit) =>
      writeOrUnavailable(db, () => E.right(reencryptOrders.immediate(after, limit))),
    reencryptSecrets: () => writeOrUnavailable(db, () => E.right(reencryptSecrets.immediate())),
  }
}
