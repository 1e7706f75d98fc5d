import { describe, expect, it } from 'vitest'
import {
  ACCEPTED_STATUSES,
  classifyCancelResponse,
  classifyEventResponse,
  classifyIpnResponse,
  type EventName,
  redirectDetail,
  rejectionReason,
  statusesThatNeedBody,
  truncateResponse,
} from './attempt.ts'

const EVENTS: readonly EventName[] = [
  'cancelled',
  'denied',
  'risk_assessment',
  'identification_action',
  'cancel',
]
const STATUSES = Array.from({ length: 500 }, (_, index) => 100 + index)

const acceptedFor = (event: EventName): readonly number[] =>
  STATUSES.filter((status) => classifyEventResponse(event, status) === 'accepted')

describe('the answer to an event', () => {
  it.each(EVENTS.filter((event) => event !== 'cancel'))(
    '%s is accepted with exactly seven statuses',
    (event) => {
      expect(acceptedFor(event)).toEqual([200, 201, 202, 302, 307, 404, 501])
    },
  )

  it('cancel is accepted with the same statuses except 404', () => {
    expect(acceptedFor('cancel')).toEqual([200, 201, 202, 302, 307, 501])
    expect(ACCEPTED_STATUSES.cancel).toEqual(acceptedFor('cancel'))
  })

  it.each(EVENTS)('%s is an error with any other status', (event) => {
    const erred = STATUSES.filter((status) => classifyEventResponse(event, status) === 'erred')
    expect(erred).toHaveLength(500 - ACCEPTED_STATUSES[event].length)
  })

  it('depends on the body only for cancel, and only with an accepted status', () => {
    expect(statusesThatNeedBody('cancel')).toEqual([200, 201, 202, 302, 307, 501])
    for (const event of EVENTS)
      if (event !== 'cancel') expect(statusesThatNeedBody(event)).toEqual([])
  })
})

describe('the answer to an IPN', () => {
  const verdicts = (verdict: string) =>
    STATUSES.filter((status) => classifyIpnResponse(status) === verdict)

  it('is accepted with any 2xx, a conflict with 409 and 410, and an error with any other status', () => {
    expect(verdicts('accepted')).toEqual(Array.from({ length: 100 }, (_, index) => 200 + index))
    expect(verdicts('conflicted')).toEqual([409, 410])
    expect(verdicts('erred')).toHaveLength(500 - 102)
  })
})

describe('the answer to a cancel', () => {
  const classify = (status: number, body: string | null) =>
    classifyCancelResponse({ status, retryAfter: null, body })

  it.each([200, 201, 202, 302, 307, 501])('depends on the body with status %i', (status) => {
    expect(classify(status, '{"result":"cancelled"}')).toEqual({ result: 'cancelled' })
    expect(classify(status, '{"result":"toolate","late_by":5}')).toEqual({
      result: 'toolate',
      lateByMinutes: 5,
    })
    expect(classify(status, '{"result":"retry","retry_in":7}')).toEqual({
      result: 'retry',
      retryInMinutes: 7,
    })
    expect(classify(status, '{"result":"maybe"}')).toEqual({ result: 'erred' })
    expect(classify(status, 'cancelled')).toEqual({ result: 'erred' })
  })

  it.each([204, 301, 404, 410, 500])(
    'is an error with status %i, regardless of the body',
    (status) => {
      expect(classify(status, '{"result":"cancelled"}')).toEqual({ result: 'erred' })
    },
  )

  it('is an error if a success names no result', () => {
    expect(classify(200, '{}')).toEqual({ result: 'erred' })
  })

  it.each([200, 501])('is an error with status %i if the body could not be read', (status) => {
    expect(classify(status, null)).toEqual({ result: 'erred' })
  })
})

describe('the stored response', () => {
  it('is complete if it is short', () => {
    expect(truncateResponse('{"result":"cancelled"} ñ ✓')).toBe('{"result":"cancelled"} ñ ✓')
    expect(truncateResponse('')).toBe('')
    expect(truncateResponse(null)).toBeNull()
  })

  it('has at most 16 KiB if it is long, and ends with a whole character', () => {
    expect(truncateResponse('x'.repeat(20_000))).toHaveLength(16_384)
    const cut = truncateResponse(`x${'✓'.repeat(20_000)}`) ?? ''
    expect(cut).toBe(`x${'✓'.repeat(5_461)}`)
    expect(new TextEncoder().encode(cut)).toHaveLength(16_384)
    expect(truncateResponse(`xxx${'🙂'.repeat(20_000)}`)).toBe(`xxx${'🙂'.repeat(4_095)}`)
  })
})

describe('a response that is not accepted', () => {
  const response = (status: number) => ({ status, retryAfter: null, body: null })

  it('is reported with its status or with the body of a cancel answer as the reason', () => {
    expect(rejectionReason(response(500), [])).toBe('unaccepted_status')
    expect(rejectionReason(response(204), [200])).toBe('unaccepted_status')
    expect(rejectionReason(response(200), [200])).toBe('unreadable_answer')
  })
})

describe('a 501 to the cancel event', () => {
  const classify501 = (body: string) =>
    classifyCancelResponse({ status: 501, retryAfter: null, body })

  it.each([
    '{}',
    '{"error":"Unknown event cancel"}',
    '\uFEFF{"error":"x"}',
    '{"__proto__":{"result":"cancelled"}}',
  ])('means that the merchant does not support cancel: %j', (body) => {
    expect(classify501(body)).toEqual({ result: 'unsupported' })
  })

  it.each([
    '',
    'Not Implemented',
    '[]',
    'null',
    '"error"',
    '{"result":"cancelled"}',
    '{"result":null,"error":"x"}',
  ])('does not mean that the merchant does not support cancel: %j', (body) => {
    expect(classify501(body)).not.toEqual({ result: 'unsupported' })
  })
})

describe('the reason of a redirect', () => {
  const reasonOf = (location: string) =>
    redirectDetail(
      { status: 301, retryAfter: null, body: '', location },
      'https://shop.example/a/ipn?order=1',
    )

  it.each([
    ['/b', 'https://shop.example/b'],
    ['//www.shop.example:444/ñ', 'https://www.shop.example:444/%C3%B1'],
    ['https://user:secret@other.example/c?token=secret#secret', 'https://other.example/c?…'],
    ['../?', 'https://shop.example/'],
    ['http://shop.example/plain', 'http://shop.example/plain'],
    ['ftp://shop.example/file', 'a URL of the scheme ftp:'],
    ['javascript:secret', 'a URL of the scheme javascript:'],
    ['https://[', 'something that is not a URL'],
  ])('names the target of %j without what it may carry', (location, target) => {
    expect(reasonOf(location)).toBe(`The answer redirects to ${target}. plazo follows no redirect.`)
  })

  it('has at most 300 characters', () => {
    expect(reasonOf(`/${'x'.repeat(5_000)}`)).toHaveLength(300)
  })
})
