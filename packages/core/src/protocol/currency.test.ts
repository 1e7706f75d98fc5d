import { describe, expect, it } from 'vitest'
import { currencyDigits, currencyTerms, decimalText, PRICED_CURRENCIES } from './currency.ts'

describe('the digits of a currency', () => {
  it.each([
    [0, 'CLP JPY KRW ISK UGX UYI XPF'],
    [2, 'HUF UYU COP MGA MRU IDR LAK PKR AFN YER EUR XCG ZWG'],
    [3, 'BHD KWD OMR TND JOD IQD LYD'],
    [4, 'CLF UYW'],
    // Codes that ISO 4217 does not list.
    [2, 'BGN QQQ __proto__'],
  ])('are %i for %s', (digits, currencies) => {
    expect(new Set(currencies.split(' ').map(currencyDigits))).toEqual(new Set([digits]))
  })
})

it.each([
  [5, 'EUR', '0.05'],
  [12_100, 'EUR', '121.00'],
  [5, 'JPY', '5'],
  [1_234_567, 'KWD', '1234.567'],
])('%i minor units of %s are %s', (value, currency, text) => {
  expect(decimalText(value, currency)).toBe(text)
})

describe('the limits and the fee of a currency', () => {
  // Units of the currency for one euro, in November 2026, roughly.
  const EURO_IN = {
    EUR: 1,
    GBP: 0.87,
    USD: 1.16,
    CHF: 0.93,
    PLN: 4.25,
    CZK: 24.2,
    HUF: 385,
    RON: 5.1,
    SEK: 11,
    DKK: 7.46,
    NOK: 11.7,
    MXN: 21.4,
    COP: 4_450,
    PEN: 3.9,
    CLP: 1_085,
    BRL: 6.2,
    ARS: 1_650,
    UYU: 46,
    JPY: 180,
  }

  it('exist for the currencies of the contract', () => {
    expect(PRICED_CURRENCIES).toEqual(Object.keys(EURO_IN))
    expect(currencyTerms('EUR')).toEqual({
      minTotal: 100,
      maxTotal: 1_000_000,
      feePerInstalment: 250,
    })
  })

  it.each(Object.entries(EURO_IN))(
    'of %s are about the euro’s, with one significant digit',
    (currency, rate) => {
      const { minTotal, maxTotal, feePerInstalment } = currencyTerms(currency)
      const euros = [minTotal, maxTotal, feePerInstalment].map(
        (value) => value / 10 ** currencyDigits(currency) / rate,
      )
      for (const [index, value] of [1, 10_000, 2.5].entries()) {
        expect((euros[index] ?? 0) / value).toBeGreaterThan(2 / 3)
        expect((euros[index] ?? 0) / value).toBeLessThan(3 / 2)
      }
      if (currency === 'EUR') return
      for (const value of [minTotal, maxTotal, feePerInstalment])
        expect(String(value)).toMatch(/^[1-9]0*$/)
    },
  )

  it.each(['KRW', 'AUD', 'QQQ', '__proto__', 'constructor'])(
    'are the euro’s for %s',
    (currency) => {
      expect(currencyTerms(currency)).toBe(currencyTerms('EUR'))
    },
  )
})
