// Opens the encrypted values in a SQLite file, as a server with these keys does.

import type { EncryptedDataKey } from '../../packages/adapters/src/encryption/cipher.ts'
import type { Keyring } from '../../packages/adapters/src/encryption/keyring.ts'
import { openCipher } from '../../packages/adapters/src/sqlite/encryption/master-keys.ts'
import type { Database } from '../../packages/adapters/src/sqlite/schema/database.ts'
import { createSealer } from '../../packages/adapters/src/store/seal.ts'

/** Opens a value of the order with this row number. Throws if it cannot be opened at this place. */
export type OpenSealed = (orderId: number, aad: string, value: Buffer) => string

/** `keyring` null: the keys of the file beside the database. */
export const sealedValuesOf = (db: Database, keyring: Keyring | null): OpenSealed => {
  const sealer = createSealer(openCipher(db, keyring))
  const keyOf = db.prepare<[number], EncryptedDataKey & { readonly ref: string }>(`
    select o.order_ref as ref, k.key_id as keyId, k.tag, k.ciphertext
    from data_keys k join orders o on o.id = k.order_id where k.order_id = ?`)
  return (orderId, aad, value) => {
    const row = keyOf.get(orderId)
    if (row === undefined) throw new Error('The order has no data key.')
    const { ref, ...key } = row
    return sealer.open(ref, key, aad, value)
  }
}
