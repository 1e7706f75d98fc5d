// Answers of a receiver over a connection, one attempt each: what is not followed, bytes that are hardly
// JSON, and the event that the order gets. Core's attempt.test.ts has every status, its
// cancel-answer.test.ts every spelling of a value, and its schedule.test.ts every Retry-After.
import type { EventName } from '@plazo/core/ports'
import { describe, expect, it } from 'vitest'
import { OK, rawMerchant, replies } from '../../harness/raw-merchant.ts'
import { AGREED, attempt, DELIVERED, erredAttempt } from './attempt.ts'

type Answer = {
  readonly status?: number
  readonly body?: string | Uint8Array
  readonly headers?: readonly string[]
}

const answer = async ({ status = 200, body = '', headers = [] }: Answer) => {
  const bytes = Buffer.from(body)
  const lines = [`HTTP/1.1 ${status} Answer`, `Content-Length: ${bytes.length}`, ...headers]
  return rawMerchant(replies(`${lines.join('\r\n')}\r\n\r\n`, bytes))
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

  it.each([
    ['{"error":"unknown event: cancel"}', 501, 'unsupported', { type: 'cancel.unsupported' }],
    [
      '{"result":"retry","retry_in":"0005"}',
      200,
      'delivered',
      { type: 'cancel.deferred', retryInMinutes: 5 },
    ],
    [
      '{"result":"toolate","retard":90}',
      200,
      'delivered',
      { type: 'cancel.refused', lateByMinutes: 90 },
    ],
  ])('%s with %d is %s, and the order gets its event', async (body, status, state, event) => {
    const result = await cancel(body, { status })
    expect(result).toMatchObject({ event, attemptResult: { type: 'finished', status: state } })
  })
})
