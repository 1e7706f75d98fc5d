import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { newKeyEntry, parseKeyring } from './keyring.ts'

const bytes = (fill: number, length = 32): string => Buffer.alloc(length, fill).toString('base64')

const idsOf = (text: string): unknown => {
  const keyring = parseKeyring(text)
  return E.isRight(keyring) ? keyring.right.map(({ id }) => id) : keyring.left
}

describe('SECRET_KEY', () => {
  it('is a list of keys, the current one first, with or without blanks', () => {
    expect(idsOf(`new:${bytes(1)} , old:${bytes(2)}`)).toEqual(['new', 'old'])
  })

  it('accepts base64url, and base64 without padding', () => {
    expect(idsOf(`a:${Buffer.alloc(32, 0xfb).toString('base64url')}`)).toEqual(['a'])
  })

  it('names a key without a name by its fingerprint, at any position', () => {
    const [alone] = idsOf(bytes(7)) as readonly string[]
    expect(alone).toMatch(/^[0-9a-f]{8}$/)
    expect(idsOf(`${bytes(8)},${bytes(7)}`)).toEqual([
      expect.stringMatching(/^[0-9a-f]{8}$/),
      alone,
    ])
  })

  it('generates a new key that is named by its fingerprint', () => {
    const [id, text] = newKeyEntry().split(':')
    expect(idsOf(`${id}:${text}`)).toEqual(idsOf(text ?? ''))
    expect(newKeyEntry()).not.toBe(newKeyEntry())
  })

  it.each([
    ['', 'entry 1 is not base64'],
    [`a:${bytes(1, 31)}`, 'entry 1 is 31 bytes'],
    [`${bytes(1)},${bytes(1, 33)}`, 'entry 2 is 33 bytes'],
    [`a b:${bytes(1)}`, 'entry 1 is a key whose id is not up to 32 letters, digits, dots, - and _'],
    [`a:${bytes(1)},a:${bytes(2)}`, 'two keys are named a'],
    [`${bytes(1)},${bytes(1)}`, expect.stringMatching(/^two keys are named [0-9a-f]{8}$/)],
  ])('that is invalid is reported without showing it', (text, wrong) => {
    expect(idsOf(text)).toEqual(wrong)
  })
})
