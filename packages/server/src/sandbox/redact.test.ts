import { describe, expect, it } from 'vitest'
import { redact, redactText } from './redact.ts'

describe('what a sandbox records', () => {
  it('shows four digits of a card number, wherever it is', () => {
    expect(redactText('card 4111 1111-1111 1111, please')).toBe('card •••• 1111, please')
    expect(redact({ note: ['4000000000003220'] })).toEqual({ note: ['•••• 3220'] })
  })

  it('shows four digits of the card form’s number even if it is mistyped', () => {
    expect(redact({ number: '4111 1111 1111 1112' })).toEqual({ number: '•••• 1112' })
  })

  it('leaves numbers that are no cards', () => {
    expect(redactText('phone 600123456, order 1234567890123456')).toBe('phone 600123456, order 1234567890123456')
  })

  it.each(['cvc', 'CVV', 'password', 'Authorization', 'cookie'])('never has a %s', (name) => {
    expect(redact({ [name]: '123', deep: { [name]: '123' }, other: 1 })).toEqual({ deep: {}, other: 1 })
  })
})
