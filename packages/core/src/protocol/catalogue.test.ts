import { describe, expect, it } from 'vitest'
import { CATALOGUE, productOf } from './catalogue.ts'
import { LANGUAGES } from './language.ts'

describe('the catalogue', () => {
  it('has four products, each with its plans, the default first', () => {
    expect(
      CATALOGUE.map(({ code, category, instalmentCounts, dueNow, feePerInstalment }) => [
        ...[code, category, instalmentCounts.join(' '), dueNow, feePerInstalment],
      ]),
    ).toEqual([
      ['i1', 'pay_later', '1', 'nothing', 0],
      ['pp3', 'part_payment', '3 6 12 24', 'first_instalment', 250],
      ['sp1', 'part_payment', '3', 'first_instalment', 0],
      ['fp1', 'pay_now', '1', 'all', 0],
    ])
  })

  it.each(CATALOGUE)('offers $code from 100 to 1,000,000 minor units, in this millennium', (product) => {
    expect([product.minAmount, product.maxAmount]).toEqual([100, 1_000_000])
    expect([product.startsAt, product.endsAt].map((at) => new Date(at).toISOString())).toEqual([
      '2000-01-01T00:00:00.000Z',
      '2999-12-31T23:59:59.000Z',
    ])
  })

  it('says what each product is in every language, and no two alike', () => {
    const texts = LANGUAGES.flatMap((language) =>
      CATALOGUE.flatMap(({ text }) => [text[language].title, text[language].longTitle]),
    )
    expect(new Set(texts).size).toBe(LANGUAGES.length * CATALOGUE.length * 2)
    for (const words of texts) expect(words).toMatch(/^\p{Lu}.{5,}/u)
  })

  it('is asked by code', () => {
    for (const product of CATALOGUE) expect(productOf(product.code)).toBe(product)
    expect(productOf('i2')).toBeUndefined()
  })
})
