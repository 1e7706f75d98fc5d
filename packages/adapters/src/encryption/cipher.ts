// Encryption at rest. Each order has its own data key, encrypted under a master key. The order's
// personal data is encrypted under the data key and bound to its place. So rotating a master key
// touches no order, and destroying a data key erases the person's data.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { type StoredRecord, UnavailableError } from '@plazo/core/ports'
import { drawBytes, drawNumber } from '../system/clock-and-ids.ts'
import type { Keyring } from './keyring.ts'

// AES-256-GCM. A value decrypts only with the same key and the same `aad`, which is the associated
// data.
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES
const GCM_OPTIONS = { authTagLength: TAG_BYTES }

/**
 * Returns `lead` bytes that the caller fills in, then a random nonce, the tag and the ciphertext.
 */
const encryptBytes = (key: KeyObject, aad: string, plain: string | Buffer, lead = 0): Buffer => {
  const nonce = drawBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, GCM_OPTIONS)
  cipher.setAAD(Buffer.from(aad))
  // For a string, Node would allocate a buffer outside its pool.
  const ciphertext = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
  cipher.final()
  const blob = Buffer.allocUnsafe(lead + OVERHEAD_BYTES + ciphertext.length)
  blob.set(nonce, lead)
  cipher.getAuthTag().copy(blob, lead + NONCE_BYTES)
  ciphertext.copy(blob, lead + OVERHEAD_BYTES)
  return blob
}

const undecryptableError = new Error(
  'Cannot decrypt: the value was changed, moved, or encrypted under another key.',
)

/** Throws if the key or the place differs, or if a bit was changed. */
const decryptBytes = (key: KeyObject, aad: string, blob: Buffer, lead = 0): Buffer => {
  try {
    const decipher = createDecipheriv(
      ALGORITHM,
      key,
      blob.subarray(lead, lead + NONCE_BYTES),
      GCM_OPTIONS,
    )
    decipher.setAAD(Buffer.from(aad))
    decipher.setAuthTag(blob.subarray(lead + NONCE_BYTES, lead + OVERHEAD_BYTES))
    const plain = decipher.update(blob.subarray(lead + OVERHEAD_BYTES))
    decipher.final()
    return plain
  } catch {
    throw undecryptableError
  }
}

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

const FORMAT = 1
const HEADER_BYTES = 5
const KEY_BYTES = 32

const missingKeyError = (id: string): Error =>
  new UnavailableError({
    code: 'key_missing',
    message: `SECRET_KEY has no key ${JSON.stringify(id)}, but some data is encrypted under it.`,
  })

/**
 * True if a master key is missing. The settings are wrong, not the data: it decrypts once they are
 * corrected.
 */
export const isKeyMissing = (cause: unknown): boolean =>
  cause instanceof UnavailableError && cause.unavailable.code === 'key_missing'

/** `aad`: what the text is and where in the order it is stored. It decrypts only there. */
export const encrypt = ({ tag, key }: DataKey, aad: string, text: string): Buffer => {
  const blob = encryptBytes(key, aad, text, HEADER_BYTES)
  blob[0] = FORMAT
  blob.writeUInt32BE(tag, 1)
  return blob
}

/** Throws if it was changed, moved, or encrypted under another key. */
export const decrypt = ({ key }: DataKey, aad: string, blob: Buffer): string => {
  if (blob[0] !== FORMAT) throw undecryptableError
  return decryptBytes(key, aad, blob, HEADER_BYTES).toString()
}

/** The tag of the data key that encrypted it. */
export const keyTagOf = (blob: Buffer): number =>
  blob.length < HEADER_BYTES ? -1 : blob.readUInt32BE(1)

const ENCRYPTED_SECRET = /^encrypted:([^:]+):([\w-]+)$/

/**
 * The id of the master key that a secret is encrypted under. Null if the secret is not encrypted.
 */
export const keyIdOfSecret = (ciphertext: string): string | null =>
  ENCRYPTED_SECRET.exec(ciphertext)?.[1] ?? null

export const createCipher = (keyring: Keyring) => {
  const [first, ...others] = keyring

  const findKey = (id: string): KeyObject => {
    const masterKey = keyring.find((each) => each.id === id)
    if (masterKey === undefined) throw missingKeyError(id)
    return masterKey.key
  }

  const dataKeyAad = (owner: string, tag: number): string => `data key ${tag} of ${owner}`

  const decryptKeyBytes = (owner: string, { keyId, tag, ciphertext }: EncryptedDataKey): Buffer =>
    decryptBytes(findKey(keyId), dataKeyAad(owner, tag), ciphertext)

  const encryptUnderFirst = (owner: string, tag: number, bytes: Buffer): EncryptedDataKey => ({
    keyId: first.id,
    tag,
    ciphertext: encryptBytes(first.key, dataKeyAad(owner, tag), bytes),
  })

  return {
    keyring,
    /** The first one encrypts. */
    keyIds: [first.id, ...others.map(({ id }) => id)] as const,
    createKey: (owner: string) => {
      const tag = drawNumber()
      const bytes = Buffer.from(drawBytes(KEY_BYTES))
      const created = {
        dataKey: { tag, key: createSecretKey(bytes) },
        encryptedKey: encryptUnderFirst(owner, tag, bytes),
      }
      bytes.fill(0)
      return created
    },
    /** Throws if the master key is missing, or if the data key belongs to another owner. */
    decryptKey: (owner: string, encryptedKey: EncryptedDataKey): DataKey => ({
      tag: encryptedKey.tag,
      key: createSecretKey(decryptKeyBytes(owner, encryptedKey)),
    }),
    /** Re-encrypts the same data key under the first master key. */
    reencryptKey: (owner: string, encryptedKey: EncryptedDataKey): EncryptedDataKey =>
      encryptUnderFirst(owner, encryptedKey.tag, decryptKeyBytes(owner, encryptedKey)),
    /**
     * Encrypts a short secret directly under the first master key. Returns `encrypted:<key
     * id>:<base64url>`.
     */
    encryptSecret: (aad: string, secret: string): string =>
      `encrypted:${first.id}:${encryptBytes(first.key, aad, secret).toString('base64url')}`,
    decryptSecret: (aad: string, ciphertext: string): string => {
      const [, id, bytes] = ENCRYPTED_SECRET.exec(ciphertext) ?? []
      if (id === undefined || bytes === undefined) throw undecryptableError
      return decryptBytes(findKey(id), aad, Buffer.from(bytes, 'base64url')).toString()
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
