// Both SQL stores treat master keys in the same way. A database recognises a missing or wrong key.
// A rotation re-encrypts everything under the first key, page by page. If the process is killed,
// finished pages stay finished, and the next run finds the rest.
import { createHmac } from 'node:crypto'
import type { Unavailable } from '@plazo/core/ports'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { aadForSecret, type Cipher, keyIdOfSecret } from './cipher.ts'

/**
 * A database stores one value encrypted under each of its master keys. By this value it recognises
 * the key.
 */
export type KeyCheckValue = { readonly id: string; readonly proof: string }

/** A keyed hash for lookups. Nobody can guess the name from the rows. */
export type KeyedHash = (name: string) => Buffer

const aadForCheckValue = (id: string): string => `proof of ${id}`

export const AAD_LOOKUP_KEY = 'lookup key'

/** A value encrypted under the first key, by which the key is recognised later. */
export const createCheckValue = (cipher: Cipher): string =>
  cipher.encryptSecret(aadForCheckValue(cipher.keyIds[0]), '')

/** The id of a key that was not given. */
export const findMissingKey = (
  cipher: Cipher,
  checkValues: readonly KeyCheckValue[],
): string | undefined => checkValues.find(({ id }) => !cipher.keyIds.includes(id))?.id

/** `orders`: how many orders are encrypted under it. */
export const missingKeyMessage = (id: string, orders: number): string => {
  const encrypted =
    orders === 0 ? 'secrets are' : orders === 1 ? '1 order is' : `${orders} orders are`
  return `SECRET_KEY has no key ${JSON.stringify(id)}, but ${encrypted} encrypted under it. Add this key behind the first one.`
}

/**
 * Throws an error that names the key if a key differs from the one that the database knows by this
 * id.
 */
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

/**
 * `ciphertext`: the database's own lookup key, encrypted. It is the same in every process that
 * opens the database.
 */
export const createKeyedHash = (cipher: Cipher, ciphertext: string): KeyedHash => {
  const key = Buffer.from(cipher.decryptSecret(AAD_LOOKUP_KEY, ciphertext), 'base64')
  return (name) => createHmac('sha256', key).update(name).digest()
}

/**
 * What a master key still encrypts. `orders`: how many orders' data keys it encrypts. `secrets`:
 * how many secrets: those of a merchant count as one, and the database has one itself.
 */
export type KeyUsage = { readonly id: string; readonly orders: number; readonly secrets: number }

/** A secret of the database. `ref`: of its merchant. Null: it is the lookup key. */
export type SecretRow = {
  readonly id: number
  readonly ref: string | null
  readonly secret: string
}

/** The secret under the first key. Null: it is encrypted under that key already. */
export const reencryptSecret = (cipher: Cipher, { ref, secret }: SecretRow): string | null => {
  if (keyIdOfSecret(secret) === cipher.keyIds[0]) return null
  const aad = ref === null ? AAD_LOOKUP_KEY : aadForSecret(ref)
  return cipher.encryptSecret(aad, cipher.decryptSecret(aad, secret))
}

/** `orders`: how many orders' data keys each key encrypts. `known`: keys that may encrypt something. */
export const countKeyUsage = (
  { keyIds }: Cipher,
  known: readonly string[],
  orders: ReadonlyMap<string, number>,
  secrets: readonly SecretRow[],
): readonly KeyUsage[] => {
  const secretsByKey = Map.groupBy(secrets, ({ secret }) => keyIdOfSecret(secret) ?? '')
  return [...new Set([...keyIds, ...known, ...orders.keys()])].map((id) => ({
    id,
    orders: orders.get(id) ?? 0,
    secrets: secretsByKey.get(id)?.length ?? 0,
  }))
}

/** The result of re-encrypting one page of orders. */
export type ReencryptedPage = {
  readonly count: number
  /** Where the next page begins. Null after the last page. */
  readonly next: number | null
}

/**
 * Moves a database from its former master keys to the first of those given, page by page, while
 * servers run. Contract §7.
 */
export type KeyRotation = {
  /** Lists every key given, in its order, then any other key that may still encrypt something. */
  readonly usage: () => TaskEither<Unavailable, readonly KeyUsage[]>
  /** A server calls this at its start: from now on it decrypts what its first key encrypts. */
  readonly markInUse: () => TaskEither<Unavailable, void>
  /** True if a server has started that decrypts what the first key encrypts. */
  readonly isInUse: () => TaskEither<Unavailable, boolean>
  /** Re-encrypts the data keys of one page of `limit` orders. The first page is after 0. */
  readonly reencryptOrders: (
    after: number,
    limit: number,
  ) => TaskEither<Unavailable, ReencryptedPage>
  /** Re-encrypts all secrets that are under another key. Returns how many. */
  readonly reencryptSecrets: () => TaskEither<Unavailable, number>
}
