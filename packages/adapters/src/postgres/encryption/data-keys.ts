// Caches the decrypted data keys of orders. A query also returns the encrypted data key if this process may not have it cached.
import { LRUCache } from 'lru-cache'
import { type Cipher, type DataKey, decrypt, type EncryptedDataKey, keyTagOf } from '../../encryption/cipher.ts'

/** The columns of `plazo.data_keys`. */
export type KeyColumns = { readonly key_id: string; readonly tag: number; readonly ciphertext: Buffer }

export type DataKeys = {
  readonly cipher: Cipher
  /** Makes a new data key. Store it with its order, and call `cacheKey` once it is stored. */
  readonly createKey: (orderRef: string) => { readonly dataKey: DataKey; readonly encryptedKey: EncryptedDataKey }
  readonly cacheKey: (orderRef: string, key: DataKey) => DataKey
  /** The order's data key that was seen last. */
  readonly cachedKey: (orderRef: string) => DataKey | undefined
  /** Decrypts and caches the key, or returns it from the cache. */
  readonly decryptKeyColumns: (orderRef: string, columns: KeyColumns) => DataKey
  /** `columns`: the order's data key, as it was read with the value. Throws if another key encrypted the value. */
  readonly decrypt: (orderRef: string, columns: KeyColumns, aad: string, blob: Buffer) => string
  readonly clear: () => void
}

const KEYS_MAX = 24_000

export const postgresDataKeys = (cipher: Cipher): DataKeys => {
  const cachedKeys = new LRUCache<string, DataKey>({ max: KEYS_MAX })

  const cacheKey = (orderRef: string, key: DataKey): DataKey => {
    cachedKeys.set(orderRef, key)
    return key
  }

  const decryptKeyColumns: DataKeys['decryptKeyColumns'] = (orderRef, { key_id, tag, ciphertext }) => {
    const key = cachedKeys.get(orderRef)
    return key?.tag === tag ? key : cacheKey(orderRef, cipher.decryptKey(orderRef, { keyId: key_id, tag, ciphertext }))
  }

  return {
    cipher,
    createKey: cipher.createKey,
    cacheKey,
    cachedKey: (orderRef) => cachedKeys.get(orderRef),
    decryptKeyColumns,
    decrypt: (orderRef, columns, aad, blob) => {
      const key = decryptKeyColumns(orderRef, columns)
      if (keyTagOf(blob) !== key.tag)
        throw new Error('Cannot decrypt: the data key was destroyed, or the value is not encrypted.')
      return decrypt(key, aad, blob)
    },
    clear: () => cachedKeys.clear(),
  }
}
