// The data keys of the orders in SQLite, decrypted once and cached. All code that encrypts or
// decrypts gets its keys here. Every function that writes runs inside the caller's transaction.

import {
  type Cipher,
  type DataKey,
  decrypt,
  type EncryptedDataKey,
  keyTagOf,
} from '../../encryption/cipher.ts'
import type { Keyring } from '../../encryption/keyring.ts'
import { createBoundedCache } from '../../sql/bounded-cache.ts'
import { type Database, stablePlan } from '../schema/database.ts'
import { openCipher } from './master-keys.ts'

export type DataKeys = {
  readonly cipher: Cipher
  /**
   * Creates a data key; `store` stores it with its order. If it replaces another key, all that this
   * one encrypted is lost.
   */
  readonly createKey: (orderRef: string) => {
    readonly dataKey: DataKey
    readonly store: (orderId: number) => void
  }
  /** The order's current data key. */
  readonly currentKey: (orderId: number) => DataKey
  /** Throws if the key that encrypted the value was destroyed. */
  readonly decrypt: (orderId: number, aad: string, blob: Buffer) => string
  /** Clears the caches if any process has destroyed or re-encrypted a key since the last call. */
  readonly refreshIfChanged: () => void
  /** Registers a function that is called when that happens. */
  readonly onInvalidate: (invalidate: () => void) => void
}

type KeyRow = EncryptedDataKey & { readonly orderRef: string }

const KEYS_MAX = 24_000

export const sqliteDataKeys = (db: Database, cipher: Cipher): DataKeys => {
  // In place: a new key overwrites the row of the destroyed one.
  const insert = db.prepare(`
    insert into data_keys (order_id, key_id, tag, ciphertext) values (?, ?, ?, ?)
    on conflict do update set key_id = excluded.key_id, tag = excluded.tag, ciphertext = excluded.ciphertext`)
  const find = db.prepare<[number], KeyRow>(stablePlan`
    select k.key_id as keyId, k.tag, k.ciphertext, o.order_ref as orderRef
    from data_keys k join orders o on o.id = k.order_id where k.order_id = ?`)
  const findTag = db
    .prepare<[number], number>('select tag from data_keys where order_id = ?')
    .pluck()
  const haveKeysChanged = createChangeDetector(db)

  const cachedKeys = createBoundedCache<number, DataKey>(KEYS_MAX)
  const listeners: (() => void)[] = [() => cachedKeys.clear()]

  // By row number. If this order's commit fails, another order may get the same number, so readers
  // compare the tag.
  const cacheKey = (orderId: number, key: DataKey): DataKey => {
    cachedKeys.set(orderId, key)
    return key
  }

  const createKey: DataKeys['createKey'] = (orderRef) => {
    const { dataKey, encryptedKey } = cipher.createKey(orderRef)
    const store = (orderId: number): void => {
      insert.run(orderId, encryptedKey.keyId, encryptedKey.tag, encryptedKey.ciphertext)
      cacheKey(orderId, dataKey)
    }
    return { dataKey, store }
  }

  const currentKey: DataKeys['currentKey'] = (orderId) => {
    const cached = cachedKeys.get(orderId)
    if (cached !== undefined && cached.tag === findTag.get(orderId)) return cached
    const row = find.get(orderId)
    if (row === undefined) throw new Error('The order has no data key.')
    return cacheKey(orderId, cipher.decryptKey(row.orderRef, row))
  }

  const findKey = (orderId: number, blob: Buffer): DataKey => {
    if (!Buffer.isBuffer(blob)) throw new Error('Cannot decrypt: the value is not encrypted.')
    const tag = keyTagOf(blob)
    const cached = cachedKeys.get(orderId)
    if (cached?.tag === tag) return cached
    const key = currentKey(orderId)
    if (key.tag !== tag) throw new Error('Cannot decrypt: the data key was destroyed.')
    return key
  }

  return {
    cipher,
    createKey,
    currentKey,
    decrypt: (orderId, aad, blob) => decrypt(findKey(orderId, blob), aad, blob),
    refreshIfChanged: () => {
      if (haveKeysChanged()) for (const invalidate of listeners) invalidate()
    },
    onInvalidate: (invalidate) => {
      listeners.push(invalidate)
    },
  }
}

/**
 * Returns a function that is true if data keys were destroyed or re-encrypted since its last call. The
 * database itself counts these changes, so that every connection of every process notices them.
 */
const createChangeDetector = (db: Database): (() => boolean) => {
  const count = db.prepare<[], number>('select count from key_changes').pluck()
  let lastSeen = count.get()
  return () => {
    const now = count.get()
    const isNew = now !== lastSeen
    lastSeen = now
    return isNew
  }
}

/** Prepares a SQLite database for decryption (`openCipher`). */
export const openDataKeys = (db: Database, keyring: Keyring | null): DataKeys =>
  sqliteDataKeys(db, openCipher(db, keyring))
