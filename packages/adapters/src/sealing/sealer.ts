// Encryption at rest. Each order has its own data key, encrypted under a master key. The order's personal data is encrypted
// under the data key and bound to its place. So rotating a master key touches no order, and destroying a data key erases the
// person's data.
import { createSecretKey, type KeyObject } from 'node:crypto'
import { drawBytes } from '../system/random.ts'
import { openBytes, sealBytes } from './gcm.ts'
import type { Keyring } from './keyring.ts'

/** `tag`: four random bytes in every value that it encrypts. They distinguish it from the key that it may have replaced. */
export type DataKey = { readonly tag: number; readonly key: KeyObject }

export type SealedDataKey = { readonly keyId: string; readonly tag: number; readonly sealed: Buffer }

export type Sealer = {
  readonly keyring: Keyring
  /** The first one encrypts. */
  readonly keyIds: readonly [string, ...string[]]
  readonly makeKey: (owner: string) => { readonly dataKey: DataKey; readonly sealed: SealedDataKey }
  /** Throws if the master key is missing, or if the data key belongs to another owner. */
  readonly openKey: (owner: string, sealed: SealedDataKey) => DataKey
  /** Re-encrypts the same data key under the first master key. */
  readonly resealKey: (owner: string, sealed: SealedDataKey) => SealedDataKey
  /** Encrypts a short secret directly under the first master key. Returns `sealed:<key id>:<base64url>`. */
  readonly sealSecret: (place: string, secret: string) => string
  readonly openSecret: (place: string, sealed: string) => string
}

const FORMAT = 1
const LEAD = 5
const KEY_BYTES = 32

const cannotBeOpened = new Error('What is sealed cannot be opened: it was changed, moved, or sealed under another key.')

const MISSING = 'MASTER_KEY_MISSING'

const missingKey = (id: string): Error =>
  Object.assign(new Error(`SECRET_KEY has no key ${JSON.stringify(id)}, and something is sealed under it.`), {
    code: MISSING,
  })

/** True if a master key is missing. The settings are wrong, not the data: it decrypts once they are corrected. */
export const isKeyMissing = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === MISSING

const opening = (key: KeyObject, place: string, blob: Buffer, lead = 0): Buffer => {
  try {
    return openBytes(key, place, blob, lead)
  } catch {
    throw cannotBeOpened
  }
}

/** `place`: what the text is and where in the order it is stored. It decrypts only there. */
export const seal = ({ tag, key }: DataKey, place: string, text: string): Buffer => {
  const blob = sealBytes(key, place, text, LEAD)
  blob[0] = FORMAT
  blob.writeUInt32BE(tag, 1)
  return blob
}

/** Throws if it was changed, moved, or encrypted under another key. */
export const open = ({ key }: DataKey, place: string, blob: Buffer): string => {
  if (blob[0] !== FORMAT) throw cannotBeOpened
  return opening(key, place, blob, LEAD).toString()
}

/** The tag of the data key that encrypted it. */
export const tagOf = (blob: Buffer): number => (blob.length < LEAD ? -1 : blob.readUInt32BE(1))

const SECRET = /^sealed:([^:]+):([\w-]+)$/

/** The id of the master key that a secret is encrypted under. Null if the secret is not encrypted. */
export const keyIdOfSecret = (sealed: string): string | null => SECRET.exec(sealed)?.[1] ?? null

export const sealer = (keyring: Keyring): Sealer => {
  const [first, ...others] = keyring

  const keyNamed = (id: string): KeyObject => {
    const found = keyring.find((each) => each.id === id)
    if (found === undefined) throw missingKey(id)
    return found.key
  }

  const placeOf = (owner: string, tag: number): string => `data key ${tag} of ${owner}`

  const bytesOf = (owner: string, { keyId, tag, sealed }: SealedDataKey): Buffer =>
    opening(keyNamed(keyId), placeOf(owner, tag), sealed)

  const sealedUnderFirst = (owner: string, tag: number, bytes: Buffer): SealedDataKey => ({
    keyId: first.id,
    tag,
    sealed: sealBytes(first.key, placeOf(owner, tag), bytes),
  })

  return {
    keyring,
    keyIds: [first.id, ...others.map(({ id }) => id)],
    makeKey: (owner) => {
      const tag = drawBytes(4).readUInt32BE()
      const bytes = Buffer.from(drawBytes(KEY_BYTES))
      const made = { dataKey: { tag, key: createSecretKey(bytes) }, sealed: sealedUnderFirst(owner, tag, bytes) }
      bytes.fill(0)
      return made
    },
    openKey: (owner, sealed) => ({ tag: sealed.tag, key: createSecretKey(bytesOf(owner, sealed)) }),
    resealKey: (owner, sealed) => sealedUnderFirst(owner, sealed.tag, bytesOf(owner, sealed)),
    sealSecret: (place, secret) => `sealed:${first.id}:${sealBytes(first.key, place, secret).toString('base64url')}`,
    openSecret: (place, sealed) => {
      const [, id, bytes] = SECRET.exec(sealed) ?? []
      if (id === undefined || bytes === undefined) throw cannotBeOpened
      return opening(keyNamed(id), place, Buffer.from(bytes, 'base64url')).toString()
    },
  }
}
