// The master keys from SECRET_KEY. The first one encrypts; all of them decrypt. Contract §7.
import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'

/** `tag`: in every value that it encrypts, as of data keys. Always 0. */
type MasterKey = { readonly id: string; readonly tag: number; readonly key: KeyObject }

/**
 * At least one master key. The first encrypts, and all of them decrypt. `parseKeyring` makes it of
 * SECRET_KEY. Contract §7.
 */
export type Keyring = readonly [first: MasterKey, ...others: readonly MasterKey[]]

const BYTES = 32
const ID = /^[A-Za-z0-9_.-]{1,32}$/
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/

// A key without an id gets its fingerprint as id, so that it is recognised at any position in the
// list.
const fingerprint = (bytes: Buffer): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 8)

const toMasterKey = (bytes: Buffer, id = fingerprint(bytes)): MasterKey => ({
  id,
  tag: 0,
  key: createSecretKey(bytes),
})

/** Returns the key, or what is wrong with the entry. The entry itself must never be shown. */
const parseEntry = (entry: string): MasterKey | string => {
  const colon = entry.indexOf(':')
  const text = entry.slice(colon + 1)
  const bytes = Buffer.from(BASE64.test(text) ? text : '', 'base64')
  if (bytes.length === 0) return 'not base64'
  if (bytes.length !== BYTES) return `${bytes.length} bytes`
  const id = colon < 0 ? undefined : entry.slice(0, colon)
  return id === undefined || ID.test(id)
    ? toMasterKey(bytes, id)
    : 'a key whose id is not up to 32 letters, digits, dots, - and _'
}

/**
 * Parses comma-separated entries, each `[id:]base64` of 32 bytes. Left: what was given instead,
 * without any key's bytes.
 */
export const parseKeyring = (text: string | undefined): E.Either<string, Keyring> => {
  const keys: MasterKey[] = []
  for (const [index, entry] of text?.split(',').entries() ?? []) {
    const key = parseEntry(entry.trim())
    if (typeof key === 'string') return E.left(`entry ${index + 1} is ${key}`)
    if (keys.some(({ id }) => id === key.id)) return E.left(`two keys are named ${key.id}`)
    keys.push(key)
  }
  const [first, ...others] = keys
  return first === undefined ? E.left('missing') : E.right([first, ...others])
}

/** A new random key, as an entry of SECRET_KEY. */
export const newKeyEntry = (): string => {
  const bytes = randomBytes(BYTES)
  return `${fingerprint(bytes)}:${bytes.toString('base64')}`
}

/** A keyring of one random key, for tests and for a database that ends with the process. */
export const newKeyring = (): Keyring => [toMasterKey(randomBytes(BYTES))]
