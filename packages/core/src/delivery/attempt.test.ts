import { describe, expect, it } from 'vitest'
import {
  ACCEPTED_STATUSES,
  classifyCancelResponse,
  classifyIpnResponse,
  redirectDetail,
  rejectionReason,
  statusesThatNeedBody,
  truncateResponse,
} from './attempt.ts'

const STATUSES = Array.from({ length: 500 }, (_, index) => 100 + index)
const INFORMATIVE = [200, 201, 202, 302, 307, 404, 501]
const CANCEL = [200, 201, 202, 302, 307, 501]

it.each([
  ['cancelled', INFORMATIVE, []],
  ['denied', INFORMATIVE, []],
  ['risk_assessment', INFORMATIVE, []],
  ['identification_action', INFORMATIVE, []],
  ['cancel', CANCEL, CANCEL],
] as const)(
  'the event %s is accepted with the statuses %j, and needs the body with %j',
  (event, accepted, needBody) => {
    expect(ACCEPTED_STATUSES[event]).toEqual(accepted)
    expect(statusesThatNeedBody(event)).toEqual(needBody)
  },
)

it('an IPN is accepted with any 2xx, a conflict with 409 and 410, and an error otherwise', () => {
  const verdicts = (verdict: string) =>
    STATUSES.filter((status) => classifyIpnResponse(status) === verdict)
  expect(verdicts('accepted')).toEqual(STATUSES.slice(100, 200))
  expect(verdicts('conflicted')).toEqual([409, 410])
  expect(verdicts('erred')).toHaveLength(500 - 102)
})

const classify = (status: number, body: string | null) =>
  classifyCancelResponse({ status, retryAfter: null, body })

describe('the answer to a cancel', () => {
  it.each([
    ['{"result":"cancelled"}', { result: 'cancelled' }],
    ['{"result":"toolate","late_by":5}', { result: 'toolate', lateByMinutes: 5 }],
    ['{"result":"retry","retry_in":7}', { result: 'retry', retryInMinutes: 7 }],
    ['{"result":"maybe"}', { result: 'erred' }],
    ['cancelled', { result: 'erred' }],
    [null, { result: 'erred' }],
  ])('decides by its body %j with an accepted status only', (body, verdict) => {
    for (const status of CANCEL) expect(classify(status, body)).toEqual(verdict)
    for (const status of [204, 301, 404, 410, 500])
      expect(classify(status, body)).toEqual({ result: 'erred' })
  })

  it.each([
    ['{}', true],
    ['\uFEFF{"error":"x"}', true],
    ['{"__proto__":{"result":"cancelled"}}', true],
    ['', false],
    ['[]', false],
    ['null', false],
    ['"error"', false],
    ['{"result":null,"error":"x"}', false],
  ])('with 501 and %j means that the merchant does not support it: %j', (body, isUnsupported) => {
    expect(classify(501, body)).toEqual({ result: isUnsupported ? 'unsupported' : 'erred' })
    expect(classify(200, body)).toEqual({ result: 'erred' })
  })
})

it.each([
  [null, null],
  ['{"result":"cancelled"} ñ ✓', '{"result":"cancelled"} ñ ✓'],
  ['x'.repeat(20_000), 'x'.repeat(16_384)],
  [`x${'✓'.repeat(20_000)}`, `x${'✓'.repeat(5_461)}`],
  [`xxx${'🙂'.repeat(20_000)}`, `xxx${'🙂'.repeat(4_095)}`],
])('a stored response has at most 16 KiB in whole characters: %#', (text, stored) => {
  expect(truncateResponse(text)).toBe(stored)
})

it.each([
  [500, [], 'unaccepted_status'],
  [204, [200], 'unaccepted_status'],
  [200, [200], 'unreadable_answer'],
])(
  'a response of %i, whose body decides with %j, is reported as %s',
  (status, needBody, reason) => {
    expect(rejectionReason({ status, retryAfter: null, body: null }, needBody)).toBe(reason)
  },
)

const LONG = `/${'x'.repeat(5_000)}`

it.each([
  ['/b', 'https://shop.example/b'],
  ['//www.shop.example:444/ñ', 'https://www.shop.example:444/%C3%B1'],
  ['https://user:secret@other.example/c?token=secret#secret', 'https://other.example/c?…'],
  ['../?', 'https://shop.example/'],
  ['http://shop.example/plain', 'http://shop.example/plain'],
  ['ftp://shop.example/file', 'a URL of the scheme ftp:'],
  ['https://[', 'something that is not a URL'],
  [LONG, `https://shop.example${LONG}`],
])(
  'a redirect to %j is described without what may be secret, in 300 characters',
  (location, target) => {
    const response = { status: 301, retryAfter: null, body: '', location }
    expect(redirectDetail(response, 'https://shop.example/a/ipn?order=1')).toBe(
      `The answer redirects to ${target}. plazo follows no redirect.`.slice(0, 300),
    )
  },
)
