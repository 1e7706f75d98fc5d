import { decodeCancelAnswer } from '@plazo/core/internal'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  cancelled,
  cancelResponse,
  ipnResponse,
  refused,
  retryIn,
  taken,
  tooLate,
  toResponse,
} from './handlers.ts'

const NO_ANSWERS: readonly unknown[] = [
  undefined,
  null,
  {},
  'cancelled',
  { result: 'no' },
  { result: 'toolate' },
]

describe('an answer to cancel', () => {
  it('means to the service what the merchant intended', () => {
    const answer = fc.oneof(
      fc.constant(cancelled()),
      fc.maxSafeNat().map(tooLate),
      fc.integer({ min: 1, max: 1440 }).map(retryIn),
    )
    fc.assert(
      fc.property(answer, (input) => {
        expect(decodeCancelAnswer(cancelResponse(input).body)).toEqual(input)
      }),
    )
  })

  it.each([0, 1441, 5.5, Number.NaN])('cannot retry in %d minutes', (minutes) => {
    expect(() => cancelResponse(retryIn(minutes))).toThrow(TypeError)
  })

  it.each([-1, 5.5, Number.NaN])('cannot be too late by %d minutes', (minutes) => {
    expect(() => cancelResponse(tooLate(minutes))).toThrow(TypeError)
  })

  it.each([...NO_ANSWERS, { result: 'retry', retryInMinutes: 1441 }])('cannot be %j', (input) => {
    expect(() => cancelResponse(input as never)).toThrow(TypeError)
  })
})

describe('an answer to the IPN', () => {
  it('accepts the order with 200, and refuses it with 409', () => {
    expect([ipnResponse(taken()).status, ipnResponse(refused()).status]).toEqual([200, 409])
  })

  it.each(NO_ANSWERS)('cannot be %j', (input) => {
    expect(() => ipnResponse(input as never)).toThrow(TypeError)
  })
})

it('a response has no body and no content type by default', async () => {
  const response = toResponse({ status: 200, body: '' })
  expect([response.headers.get('content-type'), await response.text()]).toEqual([null, ''])
})
