// A database stores one value encrypted under each of its master keys. By these values it recognises a missing or wrong key.
import { createHmac } from 'node:crypto'
import type { Cipher } from './cipher.ts'

export type KeyCheckValue = { readonly id: string; readonly proof: string }

/** A keyed hash for lookups. Nobody can guess the name from the rows. */
export type KeyedHash = (name: string) => Buffer

const aadForCheckValue = (id: string): string => `proof of ${id}`

export const AAD_LOOKUP_KEY = 'lookup key'

/** A value encrypted under the first key, by which the key is recognised later. */
export const createCheckValue = (cipher: Cipher): string => cipher.encryptSecret(aadForCheckValue(cipher.keyIds[0]), '')

/** The ids of the keys that were not given. */
export const findMissingKeys = (cipher: Cipher, checkValues: readonly KeyCheckValue[]): readonly string[] =>
  checkValues.flatMap(({ id }) => (cipher.keyIds.includes(id) ? [] : [id]))

/** `orders`: how many orders are encrypted under it. */
export const missingKeyMessage = (id: string, orders: number): string => {
  const encrypted = orders === 0 ? 'secrets are' : orders === 1 ? '1 order is' : `${orders} orders are`
  return `SECRET_KEY has no key ${JSON.stringify(id)}, but ${encrypted} encrypted under it. Add this key behind the first one.`
}

/** Throws an error that names the key if a key differs from the one that the database knows by this id. */
export const assertKeysMatch = (cipher: Cipher, checkValues: readonly KeyCheckValue[]): void => {
  for (const { id, proof } of checkValues)
    try {
      cipher.decryptSecret(aadForCheckValue(id), proof)
    } catch {
      throw new Error(
        `SECRET_KEY has a key ${JSON.stringify(id)}, but the database was encrypted under another key with that id.`,
      )
    }
}

/** `ciphertext`: the database's own lookup key, encrypted. It is the same in every process that opens the database. */
export const createKeyedHash = (cipher: Cipher, ciphertext: string): KeyedHash => {
  const key = Buffer.from(cipher.decryptSecret(AAD_LOOKUP_KEY, ciphertext), 'base64')
  return (name) => createHmac('sha256', key).update(name).digest()
}
