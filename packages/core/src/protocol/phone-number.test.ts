import { describe, expect, it } from 'vitest'
import { comparablePhone, phoneFrom } from './phone-number.ts'

describe('a phone number', () => {
  it('is its digits, with a plus if it is international', () => {
    expect(comparablePhone('0034 600')).toBe('+34600')
    expect(comparablePhone('+34 (600)')).toBe('+34600')
    expect(comparablePhone('＋３４\u2011٦٠٠')).toBe('+34600')
  })

  it.each([
    ['ES', '+34 600 123 456', '600123456'],
    ['ES', '0034600123456', '600123456'],
    ['ES', '+33 600 123 456', '+33600123456'],
    ['FR', '06 12 34 56 78', '612345678'],
    ['FR', '+33 (0)6 12 34 56 78', '612345678'],
    ['LT', '8 612 34567', '61234567'],
    ['US', '1 809 555 0100', '8095550100'],
    ['HU', '06 30 123 4567', '301234567'],
    ['IN', '+91 98765 43210', '+919876543210'],
    ['UK', '+44 7700 900123', '+447700900123'],
    [null, '07700 900123', '07700900123'],
  ])('in a shop of %s, %s is %s', (country, phone, national) => {
    expect(phoneFrom(country, phone)).toBe(national)
  })
})
