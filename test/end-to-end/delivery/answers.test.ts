// All possible answers of a receiver, one attempt each. The titles number the forty cases. The
// core's cancel-answer.test.ts has every spelling of a value; here each kind comes over a connection
// once.
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
const EVENTS = [...INFORMATIVE, 'cancel'] as const
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
  it('6. 302 and 307 are accepted and not followed; for cancel the body decides', async () => {
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

  it('7. 301, 303 and 308 are errors and not followed', async () => {
    const elsewhere = await rawMerchant(replies(OK))
    const moved = { body: '{"result":"cancelled"}', headers: [`Location: ${elsewhere.url}`] }
    for (const status of [301, 303, 308])
      for (const event of ['denied', 'cancel'] as const)
        expect(await to(event, { ...moved, status })).toMatchObject(
          erredAttempt(`answered ${status}`),
        )
    expect(elsewhere.connections()).toBe(0)
  })

  it('8. 204 is an error for every event', async () => {
    for (const event of EVENTS)
      expect(await to(event, { status: 204 })).toMatchObject(erredAttempt('answered 204'))
  })

  it('9. 404 is accepted for every event except cancel', async () => {
    for (const event of INFORMATIVE)
      expect(await to(event, { status: 404 })).toMatchObject(DELIVERED)
    expect(await cancel('{"result":"cancelled"}', { status: 404 })).toMatchObject(
      erredAttempt('answered 404'),
    )
  })

  it('10. 501 is accepted; for cancel, a JSON object without a result means unsupported', async () => {
    for (const event of INFORMATIVE)
      expect(await to(event, { status: 501, body: UNSUPPORTED })).toMatchObject(DELIVERED)
    expect(await cancel(UNSUPPORTED, { status: 501 })).toMatchObject({
      event: { type: 'cancel.unsupported' },
      attemptResult: { type: 'finished', status: 'unsupported' },
    })
    expect(await cancel('{"result":"cancelled"}', { status: 501 })).toMatchObject(AGREED)
  })

  it('11. 501 without a JSON object is an error for cancel', async () => {
    expect(await cancel('Not Implemented', { status: 501 })).toMatchObject(
      erredAttempt('answered 501'),
    )
  })

  it('12. 410, 429 and 503 are errors; Retry-After delays the next attempt by at most 24 h and never makes it earlier', async () => {
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

  it('13. a negative or malformed Retry-After is ignored, and an enormous one counts as 24 h', async () => {
    for (const [wish, dueAt] of [
      ['-1', FIRST + 10 * SECOND],
      ['tomorrow', FIRST + 10 * SECOND],
      ['9'.repeat(400), FIRST + 24 * HOUR],
    ] as const)
      expect(await to('denied', { status: 503, headers: [`Retry-After: ${wish}`] })).toMatchObject(
        erredAttempt('answered 503', dueAt),
      )
  })
})

describe('a receiver of cancel', () => {
  it('14. an answer to cancel that is not JSON in UTF-8 is an error', async () => {
    const bodies: readonly (string | Uint8Array)[] = [
      '<!doctype html><title>OK</title>',
      Buffer.from('{"result":"cancelled","x":"ñ"}', 'latin1'),
    ]
    for (const body of bodies)
      expect(await cancel(body)).toMatchObject(erredAttempt('answered 200'))
  })

  it('15. an answer to cancel may have a byte order mark, a wrong Content-Type, a repeated result or extra members', async () => {
    const bodies = ['\uFEFF{"result":"cancelled"}', '{"result":"retry","result":"cancelled"}']
    for (const body of [...bodies, '{"result":"cancelled","note":null,"lines":[1]}'])
      expect(await cancel(body)).toMatchObject(AGREED)
    expect(
      await cancel('{"result":"cancelled"}', { headers: ['Content-Type: nonsense'] }),
    ).toMatchObject(AGREED)
  })

  it('16. an answer to cancel with any other JSON shape or depth is an error, and no prototype is read', async () => {
    const bodies = [
      '[]',
      '{"result":"CANCELLED"}',
      '{"constructor":{"prototype":{"result":"cancelled"}}}',
      `{"result":${'{"result":'.repeat(5_000)}"cancelled"${'}'.repeat(5_001)}`,
    ]
    for (const body of bodies)
      expect(await cancel(body)).toMatchObject(erredAttempt('answered 200'))
  })

  it('17. retry_in 0 is an error and is retried on schedule', async () => {
    for (const minutes of ['0', '"0000"'])
      expect(await cancel(`{"result":"retry","retry_in":${minutes}}`)).toMatchObject(
        erredAttempt('answered 200'),
      )
  })

  it('19. retry_in may be a string of digits; any other string is an error', async () => {
    expect(await cancel('{"result":"retry","retry_in":"0005"}')).toMatchObject(
      answeredAttempt({ type: 'cancel.deferred', retryInMinutes: 5 }),
    )
    for (const text of ['5m', '1441'])
      expect(await cancel(JSON.stringify({ result: 'retry', retry_in: text }))).toMatchObject(
        erredAttempt('answered 200'),
      )
  })

  it('20. retry_in may be a whole number from 1 to 1440 in any notation; any other value is an error', async () => {
    expect(await cancel('{"result":"retry","retry_in":14.4e2}')).toMatchObject(
      answeredAttempt({ type: 'cancel.deferred', retryInMinutes: 1440 }),
    )
    for (const value of ['5.5', '1e999', 'null'])
      expect(await cancel(`{"result":"retry","retry_in":${value}}`)).toMatchObject(
        erredAttempt('answered 200'),
      )
    expect(await cancel('{"result":"retry"}')).toMatchObject(erredAttempt('answered 200'))
  })

  it('22. toolate is accepted without minutes, with text or with two numbers; the minutes are then unknown', async () => {
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
