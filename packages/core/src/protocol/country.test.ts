import { describe, expect, it } from 'vitest'
import { isCountry, suggestCountry } from './country.ts'

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const CODES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(isCountry)

describe('the countries', () => {
  it('are the 249 of ISO 3166, each with a name', () => {
    const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
    expect(CODES).toHaveLength(249)
    expect(CODES.filter((code) => names.of(code) === undefined)).toEqual([])
  })

  it.each(['UK', 'EL', 'EU', 'XK', 'ZZ', 'YU', 'es', 'ESP', '', 'ES '])(
    'do not contain %j',
    (code) => {
      expect(isCountry(code)).toBe(false)
    },
  )
})

it.each([
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['EL', 'GR'],
  ['es', 'ES'],
  ['ESP', 'ES'],
  ['Spain', 'ES'],
  ['España', 'ES'],
  ['DEU', 'DE'],
  ['GER', 'DE'],
  ['USA', 'US'],
  ['ES', 'ES'],
  ['EU', null],
  ['XX', null],
])('for the country %j, the code to use is %j', (text, code) => {
  expect(suggestCountry(text)).toBe(code)
})

it('finds the code of every country by its name', () => {
  const names = new Intl.DisplayNames(['en'], { type: 'region' })
  expect(CODES.filter((code) => suggestCountry(names.of(code) ?? '') !== code)).toEqual([])
})
