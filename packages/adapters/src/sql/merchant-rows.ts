// Merchants as the SQL stores keep them: readable, except for their secrets, which are encrypted
// under a master key. Decrypting costs more than reading, and rows seldom change, so they are cached.
import type { Merchant } from '@plazo/core/ports'
import { aadForSecret, type Cipher } from '../encryption/cipher.ts'
import { createBoundedCache } from './bounded-cache.ts'
import type { StoredMerchant } from './merchants.ts'

/** `about`: JSON, without secrets. `secrets`: JSON, encrypted. */
export type MerchantRow = { readonly about: string; readonly secrets: string }

export const CACHED_MERCHANTS_MAX = 10_000

export const createMerchantRows = (cipher: Cipher) => {
  const cache = createBoundedCache<string, StoredMerchant>(CACHED_MERCHANTS_MAX)
  return {
    encode: ({ merchant, former }: StoredMerchant): MerchantRow => {
      const { signatureSecret, ...about } = merchant
      const secrets = JSON.stringify({ signatureSecret, former })
      return {
        about: JSON.stringify(about),
        secrets: cipher.encryptSecret(aadForSecret(merchant.ref), secrets),
      }
    },
    decode: ({ about, secrets }: MerchantRow): StoredMerchant => {
      const cached = cache.get(about + secrets)
      if (cached !== undefined) return cached
      const others: Omit<Merchant, 'signatureSecret'> = JSON.parse(about)
      const decrypted: Pick<Merchant, 'signatureSecret'> & Pick<StoredMerchant, 'former'> =
        JSON.parse(cipher.decryptSecret(aadForSecret(others.ref), secrets))
      const { signatureSecret, former } = decrypted
      const row = { merchant: { ...others, signatureSecret }, former }
      cache.set(about + secrets, row)
      return row
    },
  }
}
