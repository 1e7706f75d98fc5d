import { describe, expect, it } from 'vitest'
import { factsOf } from './country.ts'
import { dayIn } from './day.ts'

const at = (instant: string): number => Date.parse(instant)

describe('the day in a country', () => {
  it.each([
    ['ES', '2026-11-25T23:30:00Z', '2026-11-26'],
    ['ES', '2026-11-25T22:59:59Z', '2026-11-25'],
    ['ES', '2026-07-01T22:00:00Z', '2026-07-02'],
    ['PT', '2026-11-25T23:30:00Z', '2026-11-25'],
    ['US', '2026-11-26T04:59:59Z', '2026-11-25'],
    ['MX', '2026-11-26T05:59:59Z', '2026-11-25'],
    ['JP', '2026-11-25T15:00:00Z', '2026-11-26'],
    ['IN', '2026-11-25T18:30:00Z', '2026-11-26'],
    ['AU', '2026-11-25T13:00:00Z', '2026-11-26'],
    ['NZ', '2026-12-31T11:00:00Z', '2027-01-01'],
    ['KI', '2026-11-25T12:00:00Z', '2026-11-26'],
    ['AS', '2026-11-25T10:59:59Z', '2026-11-24'],
    [null, '2026-11-25T23:59:59Z', '2026-11-25'],
    ['UK', '2026-07-01T23:30:00Z', '2026-07-01'],
    ['GB', '2026-07-01T23:30:00Z', '2026-07-02'],
  ])('%s at %s is %s', (country, instant, day) => {
    expect(dayIn(country, at(instant))).toBe(day)
  })

  it('has a zone that Intl knows, for each of the 249 countries', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const codes = letters.flatMap((first) => letters.map((second) => first + second))
    const countries = codes.filter((code) => factsOf(code) !== undefined)
    expect(countries).toHaveLength(249)
    for (const country of countries)
      expect(dayIn(country, at('2026-11-25T12:00:00Z'))).toMatch(/^2026-11-2[56]$/)
  })
})
