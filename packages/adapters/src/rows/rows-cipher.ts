// Encryption of rows with WebCrypto, which every runtime has: AES-256-GCM under a master key. A host
// loses the data of its database only with that key.
import { UnavailableError } from '@plazo/core/internal'

/**
 * Encrypts the content of a row. It decrypts only as that of its order. `decrypt` rejects with an
 * `UnavailableError`: `key_missing` if the master key is missing.
 */
export type RowsCipher = {
  readonly encrypt: (orderRef: string, text: string) => Promise<string>
  readonly decrypt: (orderRef: string, ciphertext: string) => Promise<string>
}

/** Leaves everything in the clear. */
export const PLAIN: RowsCipher = {
  encrypt: async (_orderRef, text) => text,
  decrypt: async (_orderRef, text) => {
    if (!text.startsWith('{')) throw new Error('The row is encrypted, and no cipher was given.')
    return text
  },
}

const NONCE_BYTES = 12

const utf8 = (text: string) => new TextEncoder().encode(text)
const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const algorithm = (iv: Uint8Array<ArrayBuffer>, orderRef: string) => ({
  name: 'AES-GCM',
  iv,
  additionalData: utf8(orderRef),
})

const MASTER_KEY = /^([^:]+):([A-Za-z0-9+/]{43}=?)$/

const importMasterKey = async (entry: string) => {
  const [, id, text = ''] = MASTER_KEY.exec(entry.trim()) ?? []
  if (id === undefined)
    throw new Error(
      `Each master key is <id>:<base64 of 32 bytes>. Make one with: echo "first:$(openssl rand -base64 32)"`,
    )
  const key = await crypto.subtle.importKey('raw', fromBase64(text), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])
  return [id, key] as const
}

const STORED = /^([^:"]+):(.*)$/

/**
 * Makes the cipher of encrypted rows, by WebCrypto's AES-256-GCM. `masterKeys`: comma-separated
 * `<id>:<base64 of 32 bytes>`, as in SECRET_KEY. The first one encrypts; all of them decrypt.
 * Rejects if one has another form, or the id of another.
 */
export const rowsCipher = async (masterKeys: string): Promise<RowsCipher> => {
  const entries = await Promise.all(String(masterKeys).split(',').map(importMasterKey))
  const keys = new Map(entries)
  const [first] = entries
  if (first === undefined || keys.size < entries.length)
    throw new Error('Two master keys have the same id. Rename the new one.')
  const [firstId, firstKey] = first

  return {
    encrypt: async (orderRef, text) => {
      const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const ciphertext = await crypto.subtle.encrypt(algorithm(iv, orderRef), firstKey, utf8(text))
      return `${firstId}:${toBase64(iv)}${toBase64(new Uint8Array(ciphertext))}`
    },
    decrypt: async (orderRef, stored) => {
      const [, id, text = ''] = STORED.exec(stored) ?? []
      const master = id === undefined ? firstKey : keys.get(id)
      if (master === undefined)
        throw new UnavailableError({
          code: 'key_missing',
          message: `No master key "${id}" was given, but some data is encrypted under it.`,
        })
      try {
        const bytes = fromBase64(text)
        const iv = bytes.slice(0, NONCE_BYTES)
        return new TextDecoder().decode(
          await crypto.subtle.decrypt(algorithm(iv, orderRef), master, bytes.slice(NONCE_BYTES)),
        )
      } catch {
        throw new UnavailableError({
          code: 'internal_error',
          message: 'Cannot decrypt: the value was changed, moved, or encrypted under another key.',
        })
      }
    },
  }
}
