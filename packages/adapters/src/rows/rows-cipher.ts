// Encryption of rows with WebCrypto, which every runtime has: AES-256-GCM under a data key per order,
// which is encrypted under a master key. A host loses the data of its database only with both.
import { UnavailableError } from '@plazo/core/ports'

/**
 * Encrypts the parts of one order. `place`: what the text is. It decrypts only as that, and with
 * the order's key.
 */
export type OrderKey = {
  /** Encrypts the data key under the first master key, for a row that is written. */
  readonly encryptKey: () => Promise<string>
  readonly encrypt: (place: string, text: string) => Promise<string>
  readonly decrypt: (place: string, ciphertext: string) => Promise<string>
}

/** Rejects with an `UnavailableError`: `key_missing` if the master key is missing. */
export type RowsCipher = {
  readonly createKey: (orderRef: string) => Promise<OrderKey>
  readonly openKey: (orderRef: string, encryptedKey: string) => Promise<OrderKey>
}

const KEY_BYTES = 32
const NONCE_BYTES = 12

const utf8 = (text: string) => new TextEncoder().encode(text)
const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const importKey = (bytes: Uint8Array<ArrayBuffer>) =>
  crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])

type Key = Awaited<ReturnType<typeof importKey>>

const encrypt = async (key: Key, place: string, text: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const options = { name: 'AES-GCM', iv, additionalData: utf8(place) }
  const ciphertext = new Uint8Array(await crypto.subtle.encrypt(options, key, utf8(text)))
  return toBase64(Uint8Array.of(...iv, ...ciphertext))
}

const decrypt = async (key: Key, place: string, ciphertext: string): Promise<string> => {
  try {
    const bytes = fromBase64(ciphertext)
    const iv = bytes.subarray(0, NONCE_BYTES)
    const options = { name: 'AES-GCM', iv, additionalData: utf8(place) }
    const text = await crypto.subtle.decrypt(options, key, bytes.subarray(NONCE_BYTES))
    return new TextDecoder().decode(text)
  } catch {
    throw new UnavailableError({
      code: 'internal_error',
      message: 'Cannot decrypt: the value was changed, moved, or encrypted under another key.',
    })
  }
}

const MASTER_KEY = /^([^:]+):([A-Za-z0-9+/]{43}=?)$/

const importMasterKey = async (entry: string) => {
  const [, id, text = ''] = MASTER_KEY.exec(entry.trim()) ?? []
  if (id === undefined)
    throw new Error(
      `Each master key is <id>:<base64 of ${KEY_BYTES} bytes>. Make one with: echo "first:$(openssl rand -base64 32)"`,
    )
  return { id, key: await importKey(fromBase64(text)) }
}

/**
 * Makes the cipher of encrypted rows, by WebCrypto's AES-256-GCM. `masterKeys`: comma-separated
 * `<id>:<base64 of 32 bytes>`, as in SECRET_KEY. The first one encrypts; all of them decrypt.
 * Rejects if one has another form.
 */
export const rowsCipher = async (masterKeys: string): Promise<RowsCipher> => {
  const keys = await Promise.all(masterKeys.split(',').map(importMasterKey))
  const [first] = keys
  if (first === undefined) throw new Error('No master key was given.')

  const openBytes = async (orderRef: string, bytes: Uint8Array<ArrayBuffer>): Promise<OrderKey> => {
    const key = await importKey(bytes)
    return {
      encryptKey: async () =>
        `${first.id}:${await encrypt(first.key, placeOf(orderRef), toBase64(bytes))}`,
      encrypt: (place, text) => encrypt(key, place, text),
      decrypt: (place, ciphertext) => decrypt(key, place, ciphertext),
    }
  }

  const placeOf = (orderRef: string): string => `data key of ${orderRef}`

  return {
    createKey: (orderRef) => openBytes(orderRef, crypto.getRandomValues(new Uint8Array(KEY_BYTES))),
    openKey: async (orderRef, encryptedKey) => {
      const [id, ciphertext = ''] = encryptedKey.split(':')
      const master = keys.find((each) => each.id === id)
      if (master === undefined)
        throw new UnavailableError({
          code: 'key_missing',
          message: `No master key "${id}" was given, but some data is encrypted under it.`,
        })
      return openBytes(
        orderRef,
        fromBase64(await decrypt(master.key, placeOf(orderRef), ciphertext)),
      )
    },
  }
}
