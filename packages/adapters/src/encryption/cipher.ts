// Encryption at rest. Each order has its own data key, encrypted under a master key. The order's
// personal data is encrypted under the data key and bound to its place. So rotating a master key
// touches no order, and destroying a data key erases the person's data.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { type StoredRecord, UnavailableError } from '@plazo/core/internal'
import { drawBytes, drawNumber } from '../system/clock-and-ids.ts'
import type { Keyring } from './keyring.ts'

/**
 * `tag`: four random bytes in every value that it encrypts. They distinguish it from the key that
 * it may have replaced.
 */
export type DataKey = { readonly tag: number; readonly key: KeyObject }

export type EncryptedDataKey = {
  readonly keyId: string
  readonly tag: number
  readonly ciphertext: Buffer
}

export type Cipher = ReturnType<typeof createCipher>

// AES-256-GCM. A blob is the format, the tag of the key, a random nonce, the authentication tag and
// the ciphertext.
const ALGORITHM = 'aes-256-gcm'
const FORMAT = 1
const NONCE_AT = 5
const AUTH_TAG_AT = 17
const CIPHERTEXT_AT = 33
const GCM_OPTIONS = { authTagLength: CIPHERTEXT_AT - AUTH_TAG_AT }
const KEY_BYTES = 32

/** `aad`: what the value is and where in the order it is stored. It decrypts only there. */
export const encrypt = ({ tag, key }: DataKey, aad: string, plain: string | Buffer): Buffer => {
  const header = Buffer.alloc(NONCE_AT, FORMAT)
  header.writeUInt32BE(tag, 1)
  const nonce = drawBytes(AUTH_TAG_AT - NONCE_AT)
  const cipher = createCipheriv(ALGORITHM, key, nonce, GCM_OPTIONS)
  cipher.setAAD(Buffer.from(aad))
  // For a string, Node would allocate a buffer outside its pool.
  const ciphertext = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
  cipher.final()
  return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext])
}

const undecryptableError = new Error(
  'Cannot decrypt: the value was changed, moved, or encrypted under another key.',
)

const decryptBytes = ({ key }: DataKey, aad: string, blob: Buffer): Buffer => {
  if (blob[0] !== FORMAT) throw undecryptableError
  try {
    const nonce = blob.subarray(NONCE_AT, AUTH_TAG_AT)
    const decipher = createDecipheriv(ALGORITHM, key, nonce, GCM_OPTIONS)
    decipher.setAAD(Buffer.from(aad))
    decipher.setAuthTag(blob.subarray(AUTH_TAG_AT, CIPHERTEXT_AT))
    const plain = decipher.update(blob.subarray(CIPHERTEXT_AT))
    decipher.final()
    return plain
  } catch {
    throw undecryptableError
  }
}

/** Throws if it was changed, moved, or encrypted under another key. */
export const decrypt = (dataKey: DataKey, aad: string, blob: Buffer): string =>
  decryptBytes(dataKey, aad, blob).toString()

/** The tag of the data key that encrypted it. */
export const keyTagOf = (blob: Buffer): number =>
  blob.length < NONCE_AT ? -1 : blob.readUInt32BE(1)

const ENCRYPTED_SECRET = /^encrypted:([^:]+):([\w-]+)$/

/**
 * The id of the master key that a secret is encrypted under. Null if the secret is not encrypted.
 */
export const keyIdOfSecret = (ciphertext: string): string | null =>
  ENCRYPTED_SECRET.exec(ciphertext)?.[1] ?? null

const aadForKey = (owner: string, tag: number): string => `data key ${tag} of ${owner}`

export const createCipher = (keyring: Keyring) => {
  const [first, ...others] = keyring

  const findKey = (id: string): DataKey => {
    const masterKey = keyring.find((each) => each.id === id)
    if (masterKey !== undefined) return masterKey
    const message = `SECRET_KEY has no key ${JSON.stringify(id)}, but some data is encrypted under it.`
    throw new UnavailableError({ code: 'key_missing', message })
  }

  const encryptKey = (owner: string, tag: number, bytes: Buffer): EncryptedDataKey => ({
    keyId: first.id,
    tag,
    // With memory of its own: all that a buffer shares is copied with it to another thread.
    ciphertext: Buffer.from(Uint8Array.from(encrypt(first, aadForKey(owner, tag), bytes)).buffer),
  })

  const decryptKeyBytes = (owner: string, { keyId, tag, ciphertext }: EncryptedDataKey): Buffer =>
    decryptBytes(findKey(keyId), aadForKey(owner, tag), ciphertext)

  return {
    keyring,
    /** The first one encrypts. */
    keyIds: [first.id, ...others.map(({ id }) => id)] as const,
    createKey: (owner: string) => {
      const tag = drawNumber()
      const bytes = Buffer.from(drawBytes(KEY_BYTES))
      return {
        dataKey: { tag, key: createSecretKey(bytes) },
        encryptedKey: encryptKey(owner, tag, bytes),
      }
    },
    /** Throws if the master key is missing, or if the data key belongs to another owner. */
    decryptKey: (owner: string, encryptedKey: EncryptedDataKey): DataKey => ({
      tag: encryptedKey.tag,
      key: createSecretKey(decryptKeyBytes(owner, encryptedKey)),
    }),
    /** Re-encrypts the same data key under the first master key. */
    reencryptKey: (owner: string, encryptedKey: EncryptedDataKey): EncryptedDataKey =>
      encryptKey(owner, encryptedKey.tag, decryptKeyBytes(owner, encryptedKey)),
    /**
     * Encrypts a short secret directly under the first master key. Returns `encrypted:<key
     * id>:<base64url>`.
     */
    encryptSecret: (aad: string, secret: string): string =>
      `encrypted:${first.id}:${encrypt(first, aad, secret).toString('base64url')}`,
    decryptSecret: (aad: string, ciphertext: string): string => {
      const [, id, bytes] = ENCRYPTED_SECRET.exec(ciphertext) ?? []
      if (id === undefined || bytes === undefined) throw undecryptableError
      return decrypt(findKey(id), aad, Buffer.from(bytes, 'base64url'))
    },
  }
}

// The associated data of each encrypted value: its place in the order. A value that is copied to
// another place does not decrypt there.
export const AAD_PLACED = 'placed'
export const AAD_ORDER_PAYLOAD = 'payload'
export const aadForSnapshot = (revision: number): string => `snapshot ${revision}`
export const aadForInput = (seq: number): string => `input ${seq}`
export const aadForPayload = (revision: number, lane: string): string => `work ${revision}:${lane}`
/** The message that says why an outbox row is stuck. */
export const aadForStuckMessage = (id: number): string => `message ${id}`
export const aadForReport = (deliveryId: number, n: number): string => `report ${deliveryId}.${n}`
/** A key's last part is unique within the kind. */
export const aadForRecord = ({
  kind,
  key,
  at,
}: Pick<StoredRecord, 'kind' | 'key' | 'at'>): string =>
  key === null ? `record ${kind} ${at}` : `${kind} ${key.slice(key.lastIndexOf('/') + 1)}`
/** The name by which the database's keyed hash gives the key of the records that name no order. */
export const RECORDS_WITHOUT_ORDER = 'records without an order'
/** `bytes`: 32, of the keyed hash. */
export const recordKey = (bytes: Buffer): DataKey => ({ tag: 0, key: createSecretKey(bytes) })
/** A replaced secret keeps its place, so that retiring it needs no new encryption. */
export const aadForSecret = (merchantRef: string): string => `signature secret of ${merchantRef}`
