// AES-256-GCM. A value decrypts only with the same key and the same `place`, which is the associated data.
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { drawBytes } from '../system/random.ts'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16
const OVERHEAD = NONCE + TAG
const OPTIONS = { authTagLength: TAG }

/** Returns `lead` bytes that the caller fills in, then a random nonce, the tag and the ciphertext. */
export const sealBytes = (key: KeyObject, place: string, plain: string | Buffer, lead = 0): Buffer => {
  const nonce = drawBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS)
  cipher.setAAD(Buffer.from(place))
  // For a string, Node would allocate a buffer outside its pool.
  const sealed = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
  cipher.final()
  const blob = Buffer.allocUnsafe(lead + OVERHEAD + sealed.length)
  nonce.copy(blob, lead)
  cipher.getAuthTag().copy(blob, lead + NONCE)
  sealed.copy(blob, lead + OVERHEAD)
  return blob
}

/** Throws if the key or the place differs, or if a bit was changed. */
export const openBytes = (key: KeyObject, place: string, blob: Buffer, lead = 0): Buffer => {
  const decipher = createDecipheriv(CIPHER, key, blob.subarray(lead, lead + NONCE), OPTIONS)
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(blob.subarray(lead + NONCE, lead + OVERHEAD))
  const plain = decipher.update(blob.subarray(lead + OVERHEAD))
  decipher.final()
  return plain
}
