import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { withUnseenMarks } from '../testing/identification-arbitraries.ts'
import {
  comparableName,
  cutText,
  cutToBytes,
  normalizeText,
  numberAsSeen,
  withoutControls,
  withoutUnseen,
} from './text-as-seen.ts'

describe('a number as people see it', () => {
  it('is the same again, and the same with marks that nobody sees', () => {
    fc.assert(
      fc.property(
        fc
          .string({ unit: 'binary' })
          .chain((text) => fc.tuple(fc.constant(text), withUnseenMarks(text))),
        ([text, marked]) => {
          expect(numberAsSeen(numberAsSeen(text))).toBe(numberAsSeen(text))
          expect(numberAsSeen(marked)).toBe(numberAsSeen(text))
        },
      ),
    )
  })

  it('has the ASCII digit of every decimal digit of Unicode', () => {
    const digits: string[] = []
    for (let code = 0; code < 0x2_00_00; code++) {
      const text = String.fromCodePoint(code)
      if (/\p{Nd}/u.test(text)) digits.push(text)
    }
    expect(digits.length).toBeGreaterThan(700)
    expect(numberAsSeen(digits.join(''))).toBe('0123456789'.repeat(digits.length / 10))
  })

  it('has a hyphen for every dash', () => {
    for (const dash of '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u207b\u30fc\uff70\u2e3a')
      expect(numberAsSeen(`1${dash}2`)).toBe('1-2')
  })

  it('is quick, regardless of how many marks one letter has', () => {
    const endless = `1${'\u0301\uff9e'.repeat(20_000)}`
    expect(numberAsSeen(endless)).toBe(endless)
  })
})

describe('a name', () => {
  it('keeps all that is seen, and loses control and bidi characters', () => {
    expect(withoutControls('Ana\tMaría\r\n\u0000\u202e\u2069\u200d\u00a0Ñ')).toBe(
      'Ana María \u200d\u00a0Ñ',
    )
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(withoutControls(text)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
        expect(withoutUnseen(withoutControls(text)).replace(/\s/g, '')).toBe(
          withoutUnseen(text).replace(/\s/g, ''),
        )
      }),
    )
  })

  it('is compared without marks that nobody sees', () => {
    fc.assert(
      fc.property(
        fc
          .string({ unit: 'grapheme' })
          .chain((text) => fc.tuple(fc.constant(text), withUnseenMarks(text))),
        ([text, marked]) => {
          expect(comparableName(marked)).toBe(comparableName(text))
        },
      ),
    )
  })
})

describe('a text that is cut', () => {
  it.each([
    ['ab', 2, 'ab'],
    ['abc', 2, 'ab'],
    ['a😀', 2, 'a'],
    ['a😀b', 3, 'a😀'],
    ['ae\u0301', 2, 'a'],
    ['a👨‍👩‍👧‍👦', 8, 'a'],
    ['🇪🇸🇵🇹', 6, '🇪🇸'],
    ['a\ud83d', 5, 'a\ufffd'],
    ['a\r\n', 2, 'a'],
  ])('%j has, within %i units, the whole letters %j', (text, max, cut) => {
    expect(cutText(text, max)).toBe(cut)
  })

  it('has at most so many units, is a beginning of the text, and has no half of a letter', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })),
        fc.nat(80),
        (letters, max) => {
          const text = letters.join('')
          const cut = cutText(text, max)
          expect(cut.length).toBeLessThanOrEqual(max)
          expect(cut.isWellFormed()).toBe(true)
          expect(text.startsWith(cut)).toBe(true)
        },
      ),
    )
  })

  it('can also be limited by its bytes of UTF-8', () => {
    expect(cutToBytes('aé😀', 8)).toBe('aé😀')
    expect(cutToBytes('aé😀', 6)).toBe('aé')
    expect(cutToBytes('ae\u0301', 3)).toBe('a')
  })

  it('is cut inside a letter only if that has more marks than any script uses', () => {
    expect(cutText(`${'a'.repeat(30)}e${'\u0301'.repeat(500)}`, 300)).toHaveLength(300)
    expect(cutText(`${'a'.repeat(199)}😀${'b'.repeat(500_000)}`, 200)).toBe('a'.repeat(199))
  })
})

it('a text is the same regardless of Unicode composition, with up to thirty marks on one letter', () => {
  expect(normalizeText('Marti\u0301nez Nun\u0303ez')).toBe('Martínez Nuñez')
  expect(normalizeText(`a${'\u0301\u0316'.repeat(15)}`)).toBe(
    normalizeText(`a${'\u0316\u0301'.repeat(15)}`),
  )
  expect(normalizeText('a\u0301'.repeat(1_000))).toBe('á'.repeat(1_000))
})

it('a text with more marks on one letter than any script uses is not normalized', () => {
  const endless = `a${'\u0301'.repeat(16)}${'\u0316'.repeat(15)}`
  expect(normalizeText(endless)).toBe(endless)
  expect(normalizeText(`ó${endless}`)).toBe(`ó${endless}`)
})
