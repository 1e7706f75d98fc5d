import { describe, expect, it } from 'vitest'
import { comparablePhone, e164From, phoneFrom } from './phone-number.ts'

describe('a phone number', () => {
  it('is its digits, with a plus if it is international', () => {
    expect(comparablePhone('0034 600')).toBe('+34600')
    expect(comparablePhone('+34 (600)')).toBe('+34600')
    expect(comparablePhone('＋３４\u2011٦٠٠')).toBe('+34600')
  })

  it.each([
    ['ES', '+34 600 123 456', '600123456'],
    ['ES', '+33 600 123 456', '+33600123456'],
    ['FR', '06 12 34 56 78', '612345678'],
    ['LT', '8 612 34567', '61234567'],
    ['US', '1 809 555 0100', '8095550100'],
    ['HU', '06 30 123 4567', '301234567'],
    ['IN', '+91 98765 43210', '+919876543210'],
    ['UK', '+44 7700 900123', '+447700900123'],
    [null, '07700 900123', '07700900123'],
  ])('in a shop of %s, %s is %s', (country, phone, national) => {
    expect(phoneFrom(country, phone)).toBe(national)
  })

  it.each([
    ['ES', '600 12-34 56', '+34600123456'],
    ['ES', '(+34) ６００１２３４５６', '+34600123456'],
    ['ES', '+44 (0)7700 900123', '+447700900123'],
    ['ES', '(0044) (0) 7700 900123', '+447700900123'],
    ['ES', '+ 44 ( 0 ) 7700 900123', '+447700900123'],
    ['ES', '34600123456', '34600123456'],
    ['ES', '1234567890123', '+341234567890123'],
    ['FR', '06 12 34 56 78', '+33612345678'],
    ['NO', '47 12 34 56', '+4747123456'],
    ['IT', '391 234 5678', '+393912345678'],
    ['US', '1 (809) 555-0100', '+18095550100'],
    ['DE', '123456789012345', '123456789012345'],
    ['ES', '', ''],
    ['IN', '98765 43210', '98765 43210'],
    [null, '07700 900123', '07700 900123'],
    [null, '0044 7700 900123', '+447700900123'],
  ])('in a shop of %s, a message to %s goes to %s', (country, phone, number) => {
    expect(e164From(country, phone)).toBe(number)
  })
})
