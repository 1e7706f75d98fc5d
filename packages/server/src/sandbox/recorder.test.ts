import { describe, expect, it } from 'vitest'
import { createRecorder, type RecordedContent, redact } from './recorder.ts'

const request = (body: unknown): RecordedContent => ({
  type: 'request',
  method: 'POST',
  path: '/pay',
  status: 200,
  body,
  answer: null,
})

describe('the recorder of a sandbox', () => {
  it('keeps the last thousand records, and none that is longer than 16 KiB', () => {
    const recorder = createRecorder({ now: () => 0 })
    for (let n = 0; n < 1_100; n++) recorder.record('many', request(n))
    recorder.record('long', request('x'.repeat(16 * 1024)))
    expect(recorder.list('many')).toHaveLength(1_000)
    expect(recorder.list('long')).toEqual([])
  })
})

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

  it('a field with the name of a secret is hidden, whatever its value and however deep', () => {
    const names = [
      'password',
      'cvc',
      'secret_key',
      'Authorization',
      'set-cookie',
      'x-api-key',
      'card code',
    ]
    for (const name of names)
      expect(redact({ a: [{ [name]: { b: 'x' } }] })).toEqual({ a: [{ [name]: '[hidden]' }] })
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
  })
})
