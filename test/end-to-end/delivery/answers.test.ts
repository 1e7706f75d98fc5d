// Answers of a receiver over a connection, one attempt each: what is not followed, who waits how long,
// and bytes that are hardly JSON. Core's attempt.test.ts has every status, and its
// cancel-answer.test.ts every spelling of a value.
import type { EventName } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { OK, rawMerchant, replies } from '../../harness/raw-merchant.ts'
import {
  AGREED,
  answeredAttempt,
  attempt,
  DELIVERED,
  erredAttempt,
  FIRST,
  HOUR,
  SECOND,
} from './attempt.ts'

const INFORMATIVE = ['denied', 'cancelled', 'risk_assessment', 'identification_action'] as const
const UNSUPPORTED = '{"error":"unknown event: cancel"}'

type Answer = {
  readonly status?: number
  readonly body?: string | Uint8Array
  readonly headers?: readonly string[]
}

const answer = async ({ status = 200, body = '', headers = [] }: Answer) => {
  const bytes = Buffer.from(body)
  const lines = [`HTTP/1.1 ${status} Answer`, `Content-Length: ${bytes.length}`, ...headers]
  const rest = status === 204 ? [] : [bytes]
  return rawMerchant(replies(`${lines.join('\r\n')}\r\n\r\n`, ...rest))
}

const to = async (event: EventName, input: Answer) =>
  attempt({ event, url: (await answer(input)).url })

const cancel = (body: string | Uint8Array, overrides: Answer = {}) =>
  to('cancel', { ...overrides, body })

describe('a receiver', () => {
  it('302 and 307 are accepted and not followed; for cancel the body decides', async () => {
    const metadata = await rawMerchant(replies(OK))
    for (const status of [302, 307]) {
      const moved = { status, headers: [`Location: ${metadata.url}`] }
      expect(await to('denied', moved)).toMatchObject(DELIVERED)
      expect(await cancel('{"result":"cancelled"}', moved)).toMatchObject(AGREED)
      expect(await cancel('<html>Moved</html>', moved)).toMatchObject(
        erredAttempt(`answered ${status}`),
      )
    }
    expect(metadata.connections()).toBe(0)
  })

  it('301, 303 and 308 are errors and not followed', async () => {
    const elsewhere = await rawMerchant(replies(OK))
    const moved = { body: '{"result":"cancelled"}', headers: [`Location: ${elsewhere.url}`] }
    for (const status of [301, 303, 308])
      for (const event of ['denied', 'cancel'] as const)
        expect(await to(event, { ...moved, status })).toMatchObject(
          erredAttempt(`answered ${status}`),
        )
    expect(elsewhere.connections()).toBe(0)
  })

  it('501 is accepted; for cancel, a JSON object without a result means unsupported', async () => {
    for (const event of INFORMATIVE)
      expect(await to(event, { status: 501, body: UNSUPPORTED })).toMatchObject(DELIVERED)
    expect(await cancel(UNSUPPORTED, { status: 501 })).toMatchObject({
      event: { type: 'cancel.unsupported' },
      attemptResult: { type: 'finished', status: 'unsupported' },
    })
    expect(await cancel('{"result":"cancelled"}', { status: 501 })).toMatchObject(AGREED)
  })

  it('410, 429 and 503 are errors; Retry-After delays the next attempt by at most 24 h and never makes it earlier', async () => {
    expect(await to('denied', { status: 410 })).toMatchObject(erredAttempt('answered 410'))
    for (const [status, wish, dueAt] of [
      [429, '7200', FIRST + 2 * HOUR],
      [503, '1', FIRST + 10 * SECOND],
      [503, '172800', FIRST + 24 * HOUR],
    ] as const)
      expect(await to('cancel', { status, headers: [`Retry-After: ${wish}`] })).toMatchObject(
        erredAttempt(`answered ${status}`, dueAt),
      )
  })
})

describe('a receiver of cancel', () => {
  it('an answer to cancel that is not JSON in UTF-8 is an error', async () => {
    const bodies: readonly (string | Uint8Array)[] = [
      '<!doctype html><title>OK</title>',
      Buffer.from('{"result":"cancelled","x":"ñ"}', 'latin1'),
    ]
    for (const body of bodies)
      expect(await cancel(body)).toMatchObject(erredAttempt('answered 200'))
  })

  it('an answer to cancel may have a byte order mark, a wrong Content-Type, a repeated result or extra members', async () => {
    const bodies = ['\uFEFF{"result":"cancelled"}', '{"result":"retry","result":"cancelled"}']
    for (const body of [...bodies, '{"result":"cancelled","note":null,"lines":[1]}'])
      expect(await cancel(body)).toMatchObject(AGREED)
    expect(
      await cancel('{"result":"cancelled"}', { headers: ['Content-Type: nonsense'] }),
    ).toMatchObject(AGREED)
  })

  it('retry_in may be a string of digits; any other string is an error', async () => {
    expect(await cancel('{"result":"retry","retry_in":"0005"}')).toMatchObject(
      answeredAttempt({ type: 'cancel.deferred', retryInMinutes: 5 }),
    )
    for (const text of ['5m', '1441'])
      expect(await cancel(JSON.stringify({ result: 'retry', retry_in: text }))).toMatchObject(
        erredAttempt('answered 200'),
      )
  })

  it('toolate is accepted without minutes, with text or with two numbers; the minutes are then unknown', async () => {
    for (const [rest, lateByMinutes] of [
      ['', null],
      [',"late_by":"90"', null],
      [',"late_by":90,"other":1', null],
      [',"retard":0,"note":"shipped"', 0],
    ] as const)
      expect(await cancel(`{"result":"toolate"${rest}}`)).toMatchObject(
        answeredAttempt({ type: 'cancel.refused', lateByMinutes }),
      )
  })
})
