import { expect, it } from 'vitest'
import { factsOf, isCountry } from './country.ts'
import { PRICED_CURRENCIES } from './currency.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))

it('the countries are the 249 of ISO 3166, each with a name', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  expect(CODES.filter(isCountry)).toHaveLength(249)
  expect(CODES.filter((code) => isCountry(code) && names.of(code) === undefined)).toEqual([])
  expect(['UK', 'EL', 'EU', 'XK', 'YU', 'es', 'ESP', '', 'ES '].filter(isCountry)).toEqual([])
})

it('those with a zone and phone numbers are of ISO 3166, and pay in the priced currencies', () => {
  const countries = CODES.filter((code) => factsOf(code) !== undefined)
  expect(countries.filter((code) => !isCountry(code))).toEqual([])
  // The code of a currency begins with its country; others pay in euros, dollars or francs.
  const own = PRICED_CURRENCIES.map((currency) => currency.slice(0, 2))
  expect(own.filter((code) => code !== 'EU' && !countries.includes(code))).toEqual([])
})
