// Moves a database from its former master keys to the first of those given, page by page, while
// servers run. A value is replaced only if it is still the one that was read. If the process is
// killed, finished pages stay finished, and the next run finds the rest. Contract §7.
import type { Unavailable } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type EncryptedDataKey, keyIdOfSecret } from '../encryption/cipher.ts'
import {
  type KeyUsage,
  type MasterKeyRow,
  masterKeysSql,
  SECRETS,
} from '../encryption/master-keys.ts'
import type { Dialect } from './dialect.ts'

/** Replaces a master key: says what each key encrypts, and re-encrypts it under the first one. */
export type KeyRotation = {
  /** What each key given encrypts, in their order. */
  readonly usage: () => TaskEither<Unavailable, readonly KeyUsage[]>
  /** A server calls this at its start: from now on it decrypts what its first key encrypts. */
  readonly markInUse: () => TaskEither<Unavailable, void>
  /**
   * Re-encrypts the data keys of the next `limit` orders after one, first after 0. Returns how many
   * it has replaced, and where the next page begins: null after the last one.
   */
  readonly reencryptOrders: (
    after: number,
    limit: number,
  ) => TaskEither<Unavailable, { readonly count: number; readonly next: number | null }>
  /** Re-encrypts all secrets that are under another key. Returns how many. */
  readonly reencryptSecrets: () => TaskEither<Unavailable, number>
}

export const createKeyRotation = (dialect: Dialect): KeyRotation => {
  const { schema, query, orUnavailable, jsonElements, bytesOf } = dialect
  const { cipher } = dialect.sealer
  const [first] = cipher.keyIds

  const reencryptOrders = async (after: number, limit: number) => {
    const rows = await query<EncryptedDataKey & { readonly id: number; readonly orderRef: string }>(
      (bind) => `
        select k.order_id as id, o.order_ref as "orderRef", k.key_id as "keyId", k.tag, k.ciphertext
        from ${schema}data_keys k join ${schema}orders o on o.id = k.order_id
        where k.order_id > ${bind(after)} and k.key_id <> ${bind(first)}
        order by k.order_id limit ${bind(limit)}`,
    )
    const keys = rows.map((row) => ({
      id: row.id,
      old: row.ciphertext.toString('hex'),
      new: cipher.reencryptKey(row.orderRef, row).ciphertext.toString('hex'),
    }))
    const replaced = await dialect.write([
      (bind) => `
        update ${schema}data_keys
        set key_id = ${bind(first)}, ciphertext = ${bytesOf("value ->> 'new'")}
        from ${jsonElements}(${bind(JSON.stringify(keys))})
        where order_id = cast(value ->> 'id' as bigint) and ciphertext = ${bytesOf("value ->> 'old'")}
        returning order_id`,
    ])
    return { count: replaced.length, next: rows[limit - 1]?.id ?? null }
  }

  const reencryptSecrets = async () => {
    let count = 0
    for (const { table, column, owner, aadFor } of SECRETS) {
      const rows = await query<{ readonly owner: string; readonly secret: string }>(
        () => `select ${owner} as owner, ${column} as secret from ${schema}${table}`,
      )
      for (const row of rows.filter(({ secret }) => keyIdOfSecret(secret) !== first)) {
        const aad = aadFor(row.owner)
        const secret = cipher.encryptSecret(aad, cipher.decryptSecret(aad, row.secret))
        const replaced = await dialect.write([
          (bind) => `
            update ${schema}${table} set ${column} = ${bind(secret)}
            where ${owner} = ${bind(row.owner)} and ${column} = ${bind(row.secret)} returning 1`,
        ])
        count += replaced.length
      }
    }
    return count
  }

  return {
    usage: () =>
      orUnavailable(async () => {
        const rows = await query<MasterKeyRow>(() => masterKeysSql(schema, 'false'))
        return cipher.keyIds.map((id) => {
          const { orders = 0, secrets = 0, isInUse } = rows.find((row) => row.id === id) ?? {}
          return { id, orders, secrets, isInUse: Boolean(isInUse) }
        })
      }),
    // Not with other writes: a server that starts does nothing else yet.
    markInUse: () =>
      dialect.transaction(function* () {
        yield (bind) =>
          `update ${schema}master_keys set is_in_use = true where id = ${bind(first)} and not is_in_use`
        return E.right(undefined)
      }),
    reencryptOrders: (after, limit) => orUnavailable(() => reencryptOrders(after, limit)),
    reencryptSecrets: () => orUnavailable(reencryptSecrets),
  }
}
