import { describe, expect, it } from 'vitest'
import { currencyDigits, currencyTerms, PRICED_CURRENCIES, suggestCurrency } from './currency.ts'

const DIGITS = [
  ...[
    'HUF 2',
    'UYU 2',
    'COP 2',
    'MGA 2',
    'MRU 2',
    'IDR 2',
    'LAK 2',
    'PKR 2',
    'AFN 2',
    'YER 2',
    'EUR 2',
    'XCG 2',
    'ZWG 2',
  ],
  ...['CLP 0', 'JPY 0', 'KRW 0', 'ISK 0', 'UGX 0', 'UYI 0', 'XPF 0'],
  ...['BHD 3', 'KWD 3', 'OMR 3', 'TND 3', 'JOD 3', 'IQD 3', 'LYD 3'],
  ...['CLF 4', 'UYW 4'],
].map((row): [string, number] => [row.slice(0, 3), Number(row.slice(4))])

describe('the digits of a currency', () => {
  it.each(DIGITS)('of %s are the %i of ISO 4217', (currency, digits) => {
    expect(currencyDigits(currency)).toBe(digits)
  })

  it('are two for a code that ISO 4217 does not list', () => {
    expect(['BGN', 'QQQ', '__proto__'].map(currencyDigits)).toEqual([2, 2, 2])
  })
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

it.each([
  ['eur', 'EUR'],
  [' Euro ', 'EUR'],
  ['€', 'EUR'],
  ['DEM', 'EUR'],
  ['BGN', 'EUR'],
  ['UKP', 'GBP'],
  ['us dollar', 'USD'],
  ['RMB', 'CNY'],
  ['AUD', 'AUD'],
  ['$', null],
  ['XYZ', null],
])('for the currency %j, the code to use is %j', (text, code) => {
  expect(suggestCurrency(text)).toBe(code)
})
