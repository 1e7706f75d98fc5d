// The parts that only a sandbox has: its clock, its messages, its catalogue, and a complete
// checkout over HTTP alone. Sandbox rules, Clock and Codes; contract §10.
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, checkoutOf, requestsAt, surnames } from './stages.ts'

const { receiver, shop, stages } = await servedShop()

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
const clock = async (): Promise<number> => {
  const { now } = (await (await shop.send('GET', '/sandbox/clock')).json()) as {
    readonly now: string
  }
  return Date.parse(now)
}
const advance = (seconds: unknown): Promise<Response> =>
  shop.send('POST', '/sandbox/clock/advance', { seconds })

describe('the clock', () => {
  it('returns the new time and what has fired, in order, when it is moved forward', async () => {
    const before = await clock()
    const first = await stages.proven()
    const second = await stages.proven(surnames('expiry event'))
    const answer = await advance(70)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const { now, fired, ...rest } = (await answer.json()) as {
      readonly now: string
      readonly fired: readonly {
        readonly at: string
        readonly order_ref: string
        readonly what: string
      }[]
    }
    expect(rest).toEqual({})
    expect(Date.parse(now) - before).toBeGreaterThanOrEqual(70_000)
    for (const [index, each] of fired.entries()) {
      expect(each).toEqual({
        at: INSTANT,
        order_ref: expect.any(String),
        what: expect.stringMatching(/\S/),
      })
      expect(each.at >= (fired[index - 1]?.at ?? '')).toBe(true)
      expect(each.at <= now).toBe(true)
    }
    const refs = fired.map(({ order_ref }) => order_ref)
    expect(refs).toContain(first)
    expect(refs.lastIndexOf(second)).toBeGreaterThan(refs.lastIndexOf(first))
    for (const ref of [first, second])
      expect(await shop.wait(ref)).toEqual({ action: 'resume_after_screening' })
  })

  it('moves without a silent shop, whose order waits, and rejects a second move meanwhile', async () => {
    const { ipn, merchant } = addressesAt(receiver, 'silent')
    const silent: ServerResponse[] = []
    receiver.answer(ipn, (_, response) => {
      if (silent.length > 0) return { status: 200 }
      silent.push(response)
      return null
    })
    const confirming = await stages.screened({}, { merchant })
    await shop.submit(confirming)
    await waitUntil(() => silent.length === 1)
    const move = await advance(2 * 24 * 3_600)
    expect((await advance(1)).status).toBe(409)
    await move.json()
    // It would have expired after a day.
    expect(await checkoutOf(shop, confirming)).toBe('confirming')
    silent[0]?.destroy()
    await waitUntil(async () => (await checkoutOf(shop, confirming)) === 'confirmed')
    expect(requestsAt(receiver, ipn)).toHaveLength(2)
  })
})

describe('the messages', () => {
  it('are those of the order, oldest first', async () => {
    const ref = await stages.identified()
    await stages.identified()
    await shop.advance(30)
    await shop.submit(ref)
    const messages = await shop.messages(ref)
    expect(messages).toHaveLength(2)
    expect((messages[0]?.at ?? '') < (messages[1]?.at ?? '')).toBe(true)
    expect(await shop.messages(ref.toUpperCase())).toEqual(messages)
  })

  it('of an order of demo are open, and those of any other order only to its merchant', async () => {
    const [ref, unknown] = [await stages.identified(), '00000000-0000-4000-8000-000000000000']
    const statusOf = async (orderRef: string, headers = {}): Promise<number> =>
      (await shop.send('GET', `/sandbox/messages?order_ref=${orderRef}`, undefined, headers)).status
    expect(await statusOf(ref)).toBe(200)
    expect(await statusOf(unknown)).toBe(401)
    expect(await statusOf(unknown, { authorization: basic('demo', 'wrong') })).toBe(401)
    expect(await statusOf(unknown, { authorization: basic('demo', 'demo') })).toBe(404)
  })

  it.each(['', '?order_ref=A-1'])('are refused without the uuid of an order: %j', async (query) => {
    const answer = await shop.send('GET', `/sandbox/messages${query}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      detail: expect.stringContaining('must be the uuid of an order'),
    })
  })
})

// Surnames, and the path that each triggers, are walked in test/faults/properties/http.test.ts.
it('the catalogue of triggers lists every card and code, and is a page only to a browser', async () => {
  const typeFor = async (accept: string) =>
    (await shop.send('GET', '/sandbox/triggers', undefined, { accept })).headers.get('content-type')
  expect(await typeFor('text/html')).toMatch(/html/)
  for (const accept of ['*/*', 'application/json', ''])
    expect(await typeFor(accept)).toMatch(/json/)
  const text = await (await shop.send('GET', '/sandbox/triggers')).text()
  for (const each of ['12345', '4111111111111111', '4000000000000002', '4000000000003220'])
    expect(text).toContain(each)
})

it('pages of an ID session accept only VERIFIED, FAILED and ERROR, and refuse a browser with a page', async () => {
  const { ref, action } = await stages.revealed(surnames('identity event'))
  for (const status of ['STARTED', 'verified', ''])
    expect((await shop.form(String(action.session_url), { status })).status).toBe(400)
  const { status, headers } = await shop.send('POST', String(action.session_url), '', {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'text/html',
  })
  expect([status, headers.get('content-type')]).toEqual([400, expect.stringMatching('html')])
  expect(await shop.wait(ref)).toEqual(action)
})
