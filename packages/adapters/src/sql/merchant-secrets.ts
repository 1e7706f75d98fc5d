// Merchants' signature secrets, as both SQL stores keep them: encrypted under a master key, each for
// its merchant. Decrypting costs more than reading, and secrets seldom change, so they are cached.
import { aadForSecret, type Cipher } from '../encryption/cipher.ts'
import { createBoundedCache } from './bounded-cache.ts'

const SECRETS_MAX = 10_000

export const createMerchantSecrets = (cipher: Cipher) => {
  const decryptedSecrets = createBoundedCache<string, string>(SECRETS_MAX)
  return {
    encryptSecret: (ref: string, secret: string): string =>
      cipher.encryptSecret(aadForSecret(ref), secret),
    decryptSecret: (ref: string, ciphertext: string): string => {
      const cached = decryptedSecrets.get(ciphertext)
      if (cached !== undefined) return cached
      const secret = cipher.decryptSecret(aadForSecret(ref), ciphertext)
      decryptedSecrets.set(ciphertext, secret)
      return secret
    },
  }
}
