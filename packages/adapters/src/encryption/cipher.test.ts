import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createCipher, decrypt, encrypt, keyIdOfSecret, keyTagOf } from './cipher.ts'
import { type Keyring, newKeyEntry, parseKeyring } from './keyring.ts'

const parseKeys = (...entries: readonly string[]): Keyring => {
  const parsed = parseKeyring(entries.join(','))
  if (E.isLeft(parsed)) throw new Error(parsed.left)
  return parsed.right
}

const [oldEntry, newEntry] = [newKeyEntry(), newKeyEntry()]
const idOf = (entry: string): string => entry.slice(0, entry.indexOf(':'))

const before = createCipher(parseKeys(oldEntry))
const between = createCipher(parseKeys(newEntry, oldEntry))
const after = createCipher(parseKeys(newEntry))

const CHANGED = 'Cannot decrypt: the value was changed, moved, or encrypted under another key.'

describe('a value encrypted under a data key', () => {
  const { dataKey } = before.createKey('order')

  it('cannot be decrypted after any bit is changed or removed, except in the tag that names the key', () => {
    const blob = encrypt(dataKey, 'place', 'text')
    for (let at = 0; at < blob.length; at++) {
      const changed = Buffer.from(blob)
      changed.writeUInt8(blob.readUInt8(at) ^ 1, at)
      if (keyTagOf(changed) === keyTagOf(blob))
        expect(() => decrypt(dataKey, 'place', changed)).toThrow(CHANGED)
      expect(() => decrypt(dataKey, 'place', blob.subarray(0, at))).toThrow(CHANGED)
    }
  })
})

describe('a secret', () => {
  it('is decrypted in its place, with the master key that it names', () => {
    const ciphertext = before.encryptSecret('secret of demo', '0123')
    expect(keyIdOfSecret(ciphertext)).toBe(idOf(oldEntry))
    expect(between.decryptSecret('secret of demo', ciphertext)).toBe('0123')
    expect(() => between.decryptSecret('secret of another', ciphertext)).toThrow(CHANGED)
    expect(() => after.decryptSecret('secret of demo', ciphertext)).toThrow('SECRET_KEY has no key')
  })

  it('that was never encrypted is not accepted as encrypted', () => {
    expect(keyIdOfSecret('0123456789abcdef0123456789abcdef')).toBeNull()
    expect(() =>
      before.decryptSecret('secret of demo', '0123456789abcdef0123456789abcdef'),
    ).toThrow(CHANGED)
  })
})
