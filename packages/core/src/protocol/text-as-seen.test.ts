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

  it.each([
    ['digits of Arabic and Persian keyboards', '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹', '01234567890123456789'],
    ['full-width digits', '０１２３４５６７８９', '0123456789'],
    [
      'dashes',
      '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d\u207b\u2e3a',
      '-'.repeat(12),
    ],
    ['digits of other scripts as they are', '१२३', '१२३'],
  ])('has %s', (_, typed, seen) => {
    expect(numberAsSeen(typed)).toBe(seen)
  })

  it('is quick, regardless of how many marks one letter has', () => {
    const endless = `1${'\u0301\uff9e'.repeat(20_000)}`
    expect(numberAsSeen(endless)).toBe(endless)
  })
})

describe('a name', () => {
  it('keeps all that is seen, and loses control and bidi characters', () => {
    expect(withoutControls('Ana\tMaría\r\n\u2028\u0000\u202e\u2069\u200d\u00a0Ñ')).toBe(
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

  it('is compared with any apostrophe, dash, blank, width and case', () => {
    const names = [
      "O'Neil-Ross Paz",
      ' o’neil–ross  paz',
      'Oʼneil‐Ross\u00a0Ｐaz',
      'O‘Neil-ross paz',
      'O′Neil-Roẞ Paz',
      'O´Neil-Ross Paz',
      'O`NEIL-ROß PAZ',
    ]
    expect(new Set(names.map(comparableName))).toEqual(new Set(["o'neil-ross paz"]))
  })
})

it.each([
  ['ab', 2, 'ab'],
  ['abc', 2, 'ab'],
  ['a😀', 2, 'a'],
  ['a😀b', 3, 'a😀'],
  ['a\ud83d', 5, 'a\ufffd'],
  ['a\ud83db', 3, 'a\ufffdb'],
])('%j, cut to %i units, is %j: no half of a character', (text, max, cut) => {
  expect(cutText(text, max)).toBe(cut)
})

it.each([
  [8, 'aé😀'],
  [7, 'aé😀'],
  [6, 'aé'],
  [2, 'a'],
])('a text cut to %i bytes of UTF-8 is %s', (max, cut) => {
  expect(cutToBytes('aé😀', max)).toBe(cut)
})

const MARKS = `a${'\u0301\u0316'.repeat(15)}`

it.each([
  ['Marti\u0301nez Nun\u0303ez', 'Martínez Nuñez'],
  [MARKS, MARKS.normalize()],
  ['a\u0301'.repeat(1_000), 'á'.repeat(1_000)],
  // More than thirty marks on one letter.
  [`o\u0301${MARKS}\u0316`, `o\u0301${MARKS}\u0316`],
])('a text is normalized with up to thirty marks on one letter: %#', (text, normalized) => {
  expect(normalizeText(text)).toBe(normalized)
})
