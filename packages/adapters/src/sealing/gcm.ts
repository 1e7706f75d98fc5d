// AES-256-GCM: what is sealed opens under the same key and for the same place alone.
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'
import { drawBytes } from '../system/random.ts'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16
const OVERHEAD = NONCE + TAG
const OPTIONS = { authTagLength: TAG }

/** A random nonce, the tag, then what is sealed; behind `lead` bytes that are left to the caller. */
export const sealBytes = (key: KeyObject, place: string, plain: string | Buffer, lead = 0): Buffer => {
  const nonce = drawBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS)
  cipher.setAAD(Buffer.from(place))
  // A string would be written into a buffer that is made for it beyond Node's pool.
  const sealed = cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain)
  cipher.final()
  const blob = Buffer.allocUnsafe(lead + OVERHEAD + sealed.length)
  nonce.copy(blob, lead)
  cipher.getAuthTag().copy(blob, lead + NONCE)
  sealed.copy(blob, lead + OVERHEAD)
  return blob
}

/** Throws where the key or the place is another, or a bit was changed. */
export const openBytes = (key: KeyObject, place: string, blob: Buffer, lead = 0): Buffer => {
  const decipher = createDecipheriv(CIPHER, key, blob.subarray(lead, lead + NONCE), OPTIONS)
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(blob.subarray(lead + NONCE, lead + OVERHEAD))
  const plain = decipher.update(blob.subarray(lead + OVERHEAD))
  decipher.final()
  return plain
}
