import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { ExamplePayload, PAGE_LIMIT_MAX, PageLimit, RecoverPayload } from './order-view.ts'
import { decodeWith } from './scalars.ts'
import { ipnForm } from './webhook-event.ts'

describe('a page of deliveries', () => {
  it.each(['1', '01', '0001', '9', '10', '0099', '100', '101', '1000', '99999999999999999999'])(
    'accepts the limit %s',
    (limit) => {
      expect(PageLimit.is(limit)).toBe(true)
    },
  )

  it.each(['', '0', '0000', '1e1', '-1', '5 ', ' 5', '5.0', 5])('rejects the limit %j', (limit) => {
    expect(decodeWith(PageLimit)(limit)).toEqual(
      E.left([
        `Invalid data: the body is ${JSON.stringify(limit)}, but must be a whole number from 1.`,
      ]),
    )
    expect(PAGE_LIMIT_MAX).toBe(100)
  })
})

it('recovery requires the instant since which deliveries were not accepted', () => {
  expect(decodeWith(RecoverPayload)({ since: '2026-01-05T12:00:00Z' })).toEqual(
    E.right({ since: Date.UTC(2026, 0, 5, 12) }),
  )
  expect(decodeWith(RecoverPayload)({ since: 'yesterday' })).toEqual(
    E.left([
      'Invalid data: since is "yesterday", but must be an instant like 2026-01-31T12:00:00Z.',
    ]),
  )
})

it('an example delivery requires a known event and a URL', () => {
  expect(decodeWith(ExamplePayload)({ event: 'denied', url: 'not a url' })).toEqual(
    E.left(['Invalid data: url is "not a url", but must be the URL of a receiver.']),
  )
  expect(decodeWith(ExamplePayload)({ event: 'no', url: 'http://a' })).toEqual(
    E.left([
      'Invalid data: event is "no", but must be one of cancelled, cancel, denied, risk_assessment, identification_action, ipn.',
    ]),
  )
  expect(E.isRight(decodeWith(ExamplePayload)({ event: 'ipn', url: 'http://a' }))).toBe(true)
})

it('an IPN contains whole seconds, as digits', () => {
  const decodeRequest = (seconds: string) => ({
    order_ref: '',
    order_ref_1: '',
    order_ref_2: '',
    product_code: 'i1',
    sq_state: 'approved',
    approved_since: seconds,
  })
  const codec = ipnForm('sq_state')
  for (const seconds of ['0', '15', '123456789012345'])
    expect(codec.is(decodeRequest(seconds))).toBe(true)
  for (const seconds of ['', '-1', '1.5', 'x1', '1x', '1234567890123456'])
    expect(codec.is(decodeRequest(seconds))).toBe(false)
})
