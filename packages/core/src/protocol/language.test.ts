import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { languageTag as anyLanguage } from '../testing/order-arbitraries.ts'
import { languageOf, languageTag, money, orderLanguage } from './language.ts'

it.each([
  ['es_ES', 'es-ES', 'es'],
  ['ES-mx', 'es-MX', 'es'],
  ['pt_BR', 'pt-BR', 'en'],
  ['', 'en', 'en'],
  [null, 'en', 'en'],
  ['es_ES.UTF-8', 'es-ES', 'es'],
  ['ca_ES@valencia', 'ca-ES', 'en'],
  ['es-ES,es;q=0.9', 'es-ES', 'es'],
  [' es ', 'es', 'es'],
  ['qq', 'en', 'en'],
])('a language tag %j is read as %s, with texts in %s', (input, tag, language) => {
  expect([languageTag(input), languageOf(input)]).toEqual([tag, language])
})

it.each([
  ['ca', 'ES', 'es'],
  [' gl-ES', 'ES', 'es'],
  ['EU', 'ES', 'es'],
  ['cat', 'ES', 'cat'],
  ['en-ca', 'ES', 'en-ca'],
  [null, 'ES', null],
  ['ca', 'FR', 'ca'],
])('a language tag %j of a shop in %s is kept as %j', (tag, country, language) => {
  expect(orderLanguage(tag, country)).toBe(language)
})

const minorUnits = fc.maxSafeInteger()

describe('money', () => {
  it('creates each format once', () => {
    const making = vi.spyOn(Intl, 'NumberFormat')
    for (const _ of [1, 2]) money(1, 'EUR', 'en-u-nu-latn-x-once')
    expect(making).toHaveBeenCalledOnce()
    making.mockRestore()
  })

  it.each([
    [12100, 'EUR', 'es-ES', '121,00\u00a0€'],
    [12100, 'EUR', 'en', '€121.00'],
    [12100, 'EUR', null, '€121.00'],
    [1, 'EUR', 'en', '€0.01'],
    [-4200, 'EUR', 'en', '-€42.00'],
    [500, 'JPY', 'en', '¥500'],
    [450_000, 'COP', 'es_CO', '$\u00a04.500,00'],
    [12_345, 'UYW', 'en', 'UYW\u00a01.2345'],
    [1_234_567, 'KWD', 'es', '1234,567\u00a0KWD'],
    [1_000_000, 'JPY', 'es_ES', '1.000.000\u00a0JPY'],
    [Number.MAX_SAFE_INTEGER, 'KWD', 'en', 'KWD\u00a09,007,199,254,740.991'],
    [100, 'QQQ', 'en', 'QQQ\u00a01.00'],
  ])('of %i in %s for %j reads %j', (value, currency, language, string) => {
    expect(money(value, currency, language)).toEqual({ value, string })
  })

  it('has a text for every amount, currency code and language tag', () => {
    fc.assert(
      fc.property(
        minorUnits,
        fc.stringMatching(/^[A-Z]{3}$/),
        fc.option(anyLanguage),
        (value, currency, language) => {
          const formatted = money(value, currency, language)
          expect(formatted.value).toBe(value)
          expect(formatted.string).toMatch(/\S/)
        },
      ),
    )
  })

  it('shows every minor unit of an amount exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.constantFrom('EUR', 'JPY', 'KWD'), (value, currency) => {
        expect(Number(money(value, currency, 'en').string.replace(/\D/g, ''))).toBe(value)
      }),
    )
  })
})
