import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  CancelAnswerBody,
  decodeCancelAnswer,
  parseAnswer,
  RETRY_IN_MINUTES_MAX,
} from './cancel-answer.ts'

const decodeAnswer = (answer: unknown) => decodeCancelAnswer(JSON.stringify(answer))

const names = fc.string().filter((name) => name !== 'result')
const noMinutes = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(-1, 5.5, 1e300),
  fc.array(fc.integer()),
  fc.dictionary(fc.string(), fc.integer(), { noNullPrototype: true }),
)

describe('the answer cancelled', () => {
  it('is accepted with any other attributes', () => {
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true }), (others) => {
        expect(decodeAnswer({ ...others, result: 'cancelled' })).toEqual({ result: 'cancelled' })
      }),
    )
  })
})

it('an answer may begin with one byte order mark', () => {
  expect(decodeCancelAnswer('\uFEFF{"result":"cancelled"}')).toEqual({ result: 'cancelled' })
})

describe('the answer toolate', () => {
  it('has no minutes if two attributes are numbers', () => {
    const answer = { result: 'toolate', lateByMinutes: null }
    expect(decodeAnswer({ result: 'toolate', a: 1, b: 2 })).toEqual(answer)
  })

  it('has its minutes in an attribute with any name', () => {
    fc.assert(
      fc.property(
        names,
        fc.maxSafeNat(),
        fc.dictionary(names, noMinutes, { noNullPrototype: true }),
        (name, minutes, others) => {
          expect(decodeAnswer({ ...others, result: 'toolate', [name]: minutes })).toEqual({
            result: 'toolate',
            lateByMinutes: minutes,
          })
        },
      ),
    )
  })
})

describe('the answer retry', () => {
  it('repeats the question after 1 to 1440 minutes, given as a number or as digits', () => {
    expect(RETRY_IN_MINUTES_MAX).toBe(1440)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1440 }), (minutes) => {
        const answer = { result: 'retry', retryInMinutes: minutes }
        expect(decodeAnswer({ result: 'retry', retry_in: minutes })).toEqual(answer)
        expect(decodeAnswer({ result: 'retry', retry_in: String(minutes) })).toEqual(answer)
      }),
    )
  })

  it.each([
    ...[undefined, 0, -5, 1441, 5.5, '0', '1441', '5.5', '+5', ' 5', '5\n', '0x5'],
    ...['٥', '', '00005', true, [5], {}],
  ])('is an error with retry_in %j', (retry_in) => {
    expect(decodeAnswer({ result: 'retry', retry_in })).toBeNull()
    expect(CancelAnswerBody.is({ result: 'retry', retry_in })).toBe(false)
  })
})

describe('anything else', () => {
  it.each([
    ...['', 'cancelled', 'null', '[{"result":"cancelled"}]', '{}'],
    ...['{"result":null}', '{"result":["cancelled"]}', '{"result":"Cancelled"}'],
    ...['{"result":"canceled"}', '{"result":"cancelled "}', '{"Result":"cancelled"}'],
    ...[
      '{"__proto__":{"result":"cancelled"}}',
      '{"result":"__proto__"}',
      '{"result":"cancelled"}}',
    ],
    ...['\uFEFF\uFEFF{"result":"cancelled"}', 'result=cancelled', '<html>cancelled</html>'],
  ])('is an error: %s', (body) => {
    expect(decodeCancelAnswer(body)).toBeNull()
  })

  it('is classified without throwing, however hostile it is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), (body) => {
        const answer = decodeCancelAnswer(body)
        expect([null, 'cancelled', 'toolate', 'retry']).toContain(answer?.result ?? null)
      }),
    )
    for (const deep of [
      '['.repeat(65_536),
      `{"result":${'{"a":'.repeat(13_000)}`,
      '['.repeat(32_768) + ']'.repeat(32_768),
    ])
      expect(decodeCancelAnswer(deep)).toBeNull()
  })

  it('parses as undefined if it is not JSON', () => {
    expect(parseAnswer('<html>')).toBeUndefined()
    expect(parseAnswer('null')).toBeNull()
  })
})
