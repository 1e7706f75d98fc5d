// Caches the decrypted data keys of orders. A query also returns the encrypted data key if this
// process may not have it cached.
import { type Cipher, type DataKey, decrypt, keyTagOf } from '../../encryption/cipher.ts'
import { createBoundedCache } from '../../sql/bounded-cache.ts'

/** The columns of `plazo.data_keys`. */
export type KeyColumns = {
  readonly key_id: string
  readonly tag: number
  readonly ciphertext: Buffer
}

export type DataKeys = ReturnType<typeof postgresDataKeys>

const KEYS_MAX = 24_000

export const postgresDataKeys = (cipher: Cipher) => {
  const cachedKeys = createBoundedCache<string, DataKey>(KEYS_MAX)

  const cacheKey = (orderRef: string, key: DataKey): DataKey => {
    cachedKeys.set(orderRef, key)
    return key
  }

  const decryptKeyColumns = (
    orderRef: string,
    { key_id, tag, ciphertext }: KeyColumns,
  ): DataKey => {
    const key = cachedKeys.get(orderRef)
    return key?.tag === tag
      ? key
      : cacheKey(orderRef, cipher.decryptKey(orderRef, { keyId: key_id, tag, ciphertext }))
  }

  return {
    cipher,
    /** Call it for a new key once the key is stored. */
    cacheKey,
    /** The order's data key that was seen last. */
    cachedKey: (orderRef: string): DataKey | undefined => cachedKeys.get(orderRef),
    /** Decrypts and caches the key, or returns it from the cache. */
    decryptKeyColumns,
    /**
     * `columns`: the order's data key, as it was read with the value. Throws if another key
     * encrypted the value.
     */
    decrypt: (orderRef: string, columns: KeyColumns, aad: string, blob: Buffer): string => {
      const key = decryptKeyColumns(orderRef, columns)
      if (keyTagOf(blob) !== key.tag)
        throw new Error(
          'Cannot decrypt: the data key was destroyed, or the value is not encrypted.',
        )
      return decrypt(key, aad, blob)
    },
    clear: () => cachedKeys.clear(),
  }
}
