import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { expect, it } from 'vitest'
import { ExamplePayload, PageLimit, RecoverPayload } from './order-view.ts'
import { ipnForm } from './webhook-event.ts'

const ipnSince = (seconds: string) => ({
  order_ref: '',
  order_ref_1: '',
  order_ref_2: '',
  product_code: 'i1',
  sq_state: 'approved',
  approved_since: seconds,
})

it.each<readonly [string, t.Mixed, readonly unknown[], readonly unknown[]]>([
  [
    'limit of a page is a whole number from 1',
    PageLimit,
    ['1', '01', '10', '99999999999999999999'],
    ['', '0', '0000', '1e1', '-1', '5 ', ' 5', '5.0', 5],
  ],
  [
    'recovery has an instant',
    RecoverPayload,
    [{ since: '2026-01-05T12:00:00Z' }],
    [{ since: 'yesterday' }, {}],
  ],
  [
    'example has a known event and a URL',
    ExamplePayload,
    [{ event: 'ipn', url: 'http://a' }],
    [
      { event: 'denied', url: 'not a url' },
      { event: 'no', url: 'http://a' },
    ],
  ],
  [
    'IPN has whole seconds, as digits',
    ipnForm('sq_state'),
    ['0', '15', '123456789012345'].map(ipnSince),
    ['', '-1', '1.5', 'x1', '1x', '1234567890123456'].map(ipnSince),
  ],
])('the %s', (_, codec, accepted, refused) => {
  const isAccepted = (value: unknown) => E.isRight(codec.decode(value))
  expect(accepted.filter(isAccepted)).toEqual(accepted)
  expect(refused.filter(isAccepted)).toEqual([])
})
