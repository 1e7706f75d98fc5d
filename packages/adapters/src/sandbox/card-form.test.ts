import { describe, expect, it } from 'vitest'
import { checkCard, isCvc, TEST_CARDS } from './card-form.ts'

const at = Date.UTC(2026, 6, 15, 12)
const fields = { number: '4111111111111111', expiry: '07/26', cvc: '123' }

describe('the sandbox card form', () => {
  it.each(TEST_CARDS)('has the result of $number: $does', ({ number, does }) => {
    expect(checkCard({ ...fields, number }, at).type).toBe(does)
  })

  it('declines any other plausible card', () => {
    expect(checkCard({ ...fields, number: '5555555555554444' }, at)).toEqual({ type: 'declined' })
  })

  it('accepts blanks and hyphens in a number, and blanks around other fields', () => {
    expect(
      checkCard({ number: ' 4111 1111-1111 1111 ', expiry: ' 07/26 ', cvc: ' 123 ' }, at).type,
    ).toBe('pays')
  })

  it('reads its fields as people see them', () => {
    const typed = {
      number: '\u202a４１１１\u20111111 1111\u200b1111\u202c',
      expiry: '٠٧/26\u200e',
      cvc: '１２\u20603',
    }
    expect(checkCard(typed, at)).toEqual(checkCard(fields, at))
    expect(isCvc('１２３\ufeff')).toBe(true)
  })

  it.each([
    ['a wrong check digit', { number: '4111111111111112' }],
    ['letters in the number', { number: '4111x11111111111' }],
    ['too few digits', { number: '424242424242' }],
    ['no number', { number: '' }],
    ['a month that is none', { expiry: '13/26' }],
    ['a month of one digit', { expiry: '7/26' }],
    ['a year of four digits', { expiry: '07/2026' }],
    ['a month that has passed', { expiry: '06/26' }],
    ['two digits of CVC', { cvc: '12' }],
    ['five digits of CVC', { cvc: '12345' }],
  ])('reports a card with %s as invalid', (_, wrong) => {
    expect(checkCard({ ...fields, ...wrong }, at)).toEqual({ type: 'invalid' })
  })

  it('accepts a card until the end of its month', () => {
    const lastInstant = Date.UTC(2026, 7, 1) - 1
    expect(checkCard(fields, lastInstant).type).toBe('pays')
    expect(checkCard(fields, lastInstant + 1).type).toBe('invalid')
    expect(checkCard({ ...fields, expiry: '12/26' }, Date.UTC(2027, 0, 1) - 1).type).toBe('pays')
  })

  it('stores only permitted parts of a card', () => {
    const verdict = checkCard(fields, at)
    expect(verdict).toEqual({
      type: 'pays',
      card: {
        token: expect.stringMatching(/^[\w-]{22}$/),
        brand: 'visa',
        lastFour: '1111',
        expiry: '07/26',
        maskedPan: '411111******1111',
      },
    })
    expect(JSON.stringify(verdict)).not.toContain(fields.number)
  })

  it('gives a card the same token each time, and a different one for another expiry', () => {
    const tokenOf = (expiry: string) => {
      const verdict = checkCard({ ...fields, expiry }, at)
      return verdict.type === 'pays' ? verdict.card.token : null
    }
    expect(tokenOf('07/26')).toBe(tokenOf('07/26'))
    expect(tokenOf('08/26')).not.toBe(tokenOf('07/26'))
  })
})
