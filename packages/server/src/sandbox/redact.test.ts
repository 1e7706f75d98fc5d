import { describe, expect, it } from 'vitest'
import { redact, redactText } from './redact.ts'

const HIDDEN = '[hidden]'

describe('what a timeline shows of a value', () => {
  it.each(['4111111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111'])(
    'a card number has its last four digits, as in %s',
    (card) => {
      const redacted = redact({ number: card, notes: [`my card is ${card}!`], [card]: 1 })
      expect(redacted).toEqual({
        number: '•••• 1111',
        notes: ['my card is •••• 1111!'],
        '•••• 1111': 1,
      })
    },
  )

  it('a card number in a number has its last four digits too', () => {
    expect(redact({ n: 4_111_111_111_111_111 })).toEqual({ n: '•••• 1111' })
  })

  it('a field with the name of a secret is hidden, whatever its value and however deep', () => {
    const names = ['password', 'newPassword', 'secret_key', 'Authorization', 'set-cookie', 'cvc']
    for (const name of names)
      expect(redact({ a: [{ [name]: { b: 'x' } }] })).toEqual({ a: [{ [name]: HIDDEN }] })
  })

  it('everything else is as it was', () => {
    const value = {
      order_ref: '11111111-1111-4111-8111-111111111111',
      phone: '600123456',
      total_with_tax: 12_100,
      idempotency_key: 'k',
      first: true,
      second: null,
      mistyped: '4111111111111112',
      long: '41111111111111111111',
    }
    expect(redact(value)).toEqual(value)
    expect(redactText('')).toBe('')
  })
})
