// A database records every master key that ever encrypted something in it. So a server whose keys are
// missing or wrong notices it at its start, and not at the first order that it cannot decrypt.
import { createHmac, randomBytes } from 'node:crypto'
import { aadForSecret, type Cipher } from './cipher.ts'

/**
 * A master key, and what it encrypts. `orders`: how many orders' data keys. `secrets`: how many
 * secrets: those of a merchant count as one, and the database has one itself. `isInUse`: a server
 * has started that decrypts what this key encrypts.
 */
export type KeyUsage = {
  readonly id: string
  readonly orders: number
  readonly secrets: number
  readonly isInUse: boolean
}

/** `proof`: is encrypted under the key, which is recognised by it. SQLite has 0 and 1 for booleans. */
export type MasterKeyRow = Omit<KeyUsage, 'isInUse'> & {
  readonly proof: string
  readonly isInUse: boolean | number
}

/** A keyed hash for lookups. Nobody can guess the name from the rows. */
export type KeyedHash = (name: string) => Buffer

const aadForProof = (id: string): string => `proof of ${id}`

/** The proof of the first key. */
export const createProof = (cipher: Cipher): string =>
  cipher.encryptSecret(aadForProof(cipher.keyIds[0]), '')

/** Throws an error that names the missing or wrong key. */
export const assertKeysMatch = (cipher: Cipher, rows: readonly MasterKeyRow[]): void => {
  for (const { id, proof, orders, secrets } of rows) {
    const isGiven = cipher.keyIds.includes(id)
    if (!isGiven && orders + secrets > 0) {
      const counted = orders === 1 ? '1 order is' : `${orders} orders are`
      throw new Error(
        `SECRET_KEY has no key "${id}", but ${orders > 0 ? counted : 'secrets are'} encrypted under it. Add this key behind the first one.`,
      )
    }
    try {
      if (isGiven) cipher.decryptSecret(aadForProof(id), proof)
    } catch {
      throw new Error(
        `SECRET_KEY has a key "${id}", but the database was encrypted under another key with that id.`,
      )
    }
  }
}

const AAD_LOOKUP_KEY = 'lookup key'

/** The lookup key of a new database, encrypted. */
export const createLookupKey = (cipher: Cipher): string =>
  cipher.encryptSecret(AAD_LOOKUP_KEY, randomBytes(32).toString('base64'))

/**
 * `secret`: the database's own lookup key, encrypted. It is the same in every process that opens
 * the database.
 */
export const createKeyedHash = (cipher: Cipher, secret: string): KeyedHash => {
  const key = cipher.decryptSecret(AAD_LOOKUP_KEY, secret)
  return (name) => createHmac('sha256', key).update(name).digest()
}

/** The columns of secrets. `owner`: in SQL, whose secret it is. */
export const SECRETS = [
  { table: 'merchants', column: 'secrets', owner: 'ref', aadFor: aadForSecret },
  { table: 'lookup_key', column: 'secret', owner: `''`, aadFor: () => AAD_LOOKUP_KEY },
] as const

/** `isSkipped`: in SQL, for which keys no orders are counted. A count reads all data keys. */
export const masterKeysSql = (schema: string, isSkipped: string): string => {
  const secrets = SECRETS.map(
    ({ table, column }) => `(select count(*) from ${schema}${table}
      where substr(${column}, 1, length(m.id) + 11) = 'encrypted:' || m.id || ':')`,
  )
  return `
    select id, proof, is_in_use as "isInUse", ${secrets.join(' + ')} as secrets,
      case when ${isSkipped} then 0
      else (select count(*) from ${schema}data_keys where key_id = m.id) end as orders
    from ${schema}master_keys m order by id`
}
