// AES-256-GCM. A value decrypts only with the same key and the same `aad`, which is the associated data.
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { drawBytes } from '../system/random.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES
const GCM_OPTIONS = { authTagLength: TAG_BYTES }

/** Returns `lead` bytes that the caller fills in, then a random nonce, the tag and the ciphertext. */
export const encryptBytes = (key: KeyObject, aad: string, plain: string | Buffer, lead = 0): Buffer => {
  const nonce = drawBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, GCM_OPTIONS)
  cipher.setAAD(Buffer.from(aad))
  // For a string, Node would allocate a buffer outside its pool.
  const ciphertext = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
  cipher.final()
  const blob = Buffer.allocUnsafe(lead + OVERHEAD_BYTES + ciphertext.length)
  nonce.copy(blob, lead)
  cipher.getAuthTag().copy(blob, lead + NONCE_BYTES)
  ciphertext.copy(blob, lead + OVERHEAD_BYTES)
  return blob
}

/** Throws if the key or the place differs, or if a bit was changed. */
export const decryptBytes = (key: KeyObject, aad: string, blob: Buffer, lead = 0): Buffer => {
  const decipher = createDecipheriv(ALGORITHM, key, blob.subarray(lead, lead + NONCE_BYTES), GCM_OPTIONS)
  decipher.setAAD(Buffer.from(aad))
  decipher.setAuthTag(blob.subarray(lead + NONCE_BYTES, lead + OVERHEAD_BYTES))
  const plain = decipher.update(blob.subarray(lead + OVERHEAD_BYTES))
  decipher.final()
  return plain
}
