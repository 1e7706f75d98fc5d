import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languageTag as anyLanguage } from '../testing/index.ts'
import { languageTag, money } from './money.ts'

const minorUnits = fc.maxSafeInteger()

describe('money', () => {
  it.each([
    [12100, 'EUR', 'es-ES', '121,00\u00a0€'],
    [12100, 'EUR', 'es_ES', '121,00\u00a0€'],
    [12100, 'EUR', 'en', '€121.00'],
    [12100, 'EUR', null, '€121.00'],
    [12100, 'EUR', 'garbage!', '€121.00'],
    [1, 'EUR', 'en', '€0.01'],
    [0, 'EUR', 'en', '€0.00'],
    [-4200, 'EUR', 'en', '-€42.00'],
    [1_000_000, 'USD', 'en', '$10,000.00'],
    [500, 'JPY', 'en', '¥500'],
    [1234, 'KWD', 'en', 'KWD\u00a01.234'],
    [100, 'QQQ', 'en', 'QQQ\u00a01.00'],
  ])('of %i in %s for %j reads %j', (value, currency, language, string) => {
    expect(money(value, currency, language)).toEqual({ value, string })
  })

  it('has a text for every amount, currency code and language tag a shop may send', () => {
    fc.assert(
      fc.property(minorUnits, fc.stringMatching(/^[A-Z]{3}$/), fc.option(anyLanguage), (value, currency, language) => {
        const shown = money(value, currency, language)
        expect(shown.value).toBe(value)
        expect(shown.string).toMatch(/\S/)
      }),
    )
  })

  it('shows every minor unit of an amount, no more and no less', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.constantFrom('EUR', 'JPY', 'KWD'), (value, currency) => {
        expect(Number(money(value, currency, 'en').string.replace(/\D/g, ''))).toBe(value)
      }),
    )
  })

  it('reads the same the second time', () => {
    fc.assert(
      fc.property(minorUnits, fc.option(anyLanguage), (value, language) => {
        expect(money(value, 'EUR', language)).toEqual(money(value, 'EUR', language))
      }),
    )
  })
})

describe('a language tag', () => {
  it.each([
    ['es_ES', 'es-ES'],
    ['es-ES', 'es-ES'],
    ['pt_BR', 'pt-BR'],
    ['', 'en'],
    [null, 'en'],
    ['-', 'en'],
    ['es_ES.UTF-8', 'en'],
    ['español', 'en'],
    ['qq', 'en'],
  ])('given as %j is read as %s', (given, tag) => {
    expect(languageTag(given)).toBe(tag)
  })
})
