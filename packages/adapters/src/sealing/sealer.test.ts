import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { type Keyring, newKeyEntry, parseKeyring } from './keyring.ts'
import { keyIdOfSecret, open, seal, sealer, tagOf } from './sealer.ts'

const keyring = (...entries: readonly string[]): Keyring => {
  const parsed = parseKeyring(entries.join(','))
  if (E.isLeft(parsed)) throw new Error(parsed.left)
  return parsed.right
}

const [oldEntry, newEntry] = [newKeyEntry(), newKeyEntry()]
const idOf = (entry: string): string => entry.slice(0, entry.indexOf(':'))

const before = sealer(keyring(oldEntry))
const between = sealer(keyring(newEntry, oldEntry))
const after = sealer(keyring(newEntry))

const CHANGED = 'What is sealed cannot be opened: it was changed, moved, or sealed under another key.'

describe('what is sealed under a data key', () => {
  const { dataKey } = before.makeKey('order')

  it('opens as it was, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(open(dataKey, 'place', seal(dataKey, 'place', text))).toBe(text)
      }),
    )
  })

  it('shows nothing of what it says, and is another each time', () => {
    const text = 'Ana María 12345678Z'
    const [first, second] = [seal(dataKey, 'place', text), seal(dataKey, 'place', text)]
    expect(first.includes('12345678Z')).toBe(false)
    expect(first.equals(second)).toBe(false)
  })

  it('opens at no other place', () => {
    expect(() => open(dataKey, 'snapshot 3', seal(dataKey, 'snapshot 2', 'text'))).toThrow(CHANGED)
  })

  it('opens under no other key', () => {
    expect(() => open(before.makeKey('order').dataKey, 'place', seal(dataKey, 'place', 'text'))).toThrow(CHANGED)
  })

  it('opens with none of its bits changed, but for the tag of its key, and none left out', () => {
    const blob = seal(dataKey, 'place', 'text')
    for (let at = 0; at < blob.length; at++) {
      const changed = Buffer.from(blob)
      changed.writeUInt8(blob.readUInt8(at) ^ 1, at)
      if (tagOf(changed) === tagOf(blob)) expect(() => open(dataKey, 'place', changed)).toThrow(CHANGED)
      expect(() => open(dataKey, 'place', blob.subarray(0, at))).toThrow(CHANGED)
    }
  })
})

describe('a data key', () => {
  const { dataKey, sealed } = before.makeKey('order')
  const blob = seal(dataKey, 'place', 'text')

  it('opens for its owner, and for nobody else', () => {
    expect(open(before.openKey('order', sealed), 'place', blob)).toBe('text')
    expect(() => before.openKey('another', sealed)).toThrow(CHANGED)
    expect(() => before.openKey('order', { ...sealed, tag: sealed.tag ^ 1 })).toThrow(CHANGED)
  })

  it('resealed under a new master key is the same, and needs the old one no more', () => {
    const resealed = between.resealKey('order', sealed)
    expect(resealed).toMatchObject({ keyId: idOf(newEntry), tag: sealed.tag })
    expect(open(after.openKey('order', resealed), 'place', blob)).toBe('text')
    expect(() => after.openKey('order', sealed)).toThrow(
      `SECRET_KEY has no key "${idOf(oldEntry)}", and something is sealed under it.`,
    )
  })
})

describe('a secret', () => {
  it('opens at its place, under the master key that it names', () => {
    const sealed = before.sealSecret('secret of demo', '0123')
    expect(keyIdOfSecret(sealed)).toBe(idOf(oldEntry))
    expect(between.openSecret('secret of demo', sealed)).toBe('0123')
    expect(() => between.openSecret('secret of another', sealed)).toThrow(CHANGED)
    expect(() => after.openSecret('secret of demo', sealed)).toThrow('SECRET_KEY has no key')
  })

  it('that was never sealed is not taken for one', () => {
    expect(keyIdOfSecret('0123456789abcdef0123456789abcdef')).toBeNull()
    expect(() => before.openSecret('secret of demo', '0123456789abcdef0123456789abcdef')).toThrow(CHANGED)
  })
})
