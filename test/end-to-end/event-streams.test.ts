// Pages follow an order by server-sent events, from two servers on one database. Contract §7,
// Statechart.
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { startServer } from '../harness/running-server.ts'
import { basic, DEMO, PERSON, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const MERCHANT = { authorization: basic(DEMO.username, DEMO.password) }
const OPERATOR = { authorization: basic('operator', 'operator') }
const STREAMS_MAX = 8

const database = await freshDatabase()
const env = { DATABASE_URL: database.url, SECRET_KEY: newKeyEntry() }
const [{ url, kill }, other] = [await startServer({ env }), await startServer({ env })]
const [shop, otherShop] = [shopAt(url), shopAt(other.url)]
afterAll(async () => {
  await Promise.all([kill(), other.kill()])
  await database.drop()
})

type StreamedEvent = { readonly id: number; readonly type: string; readonly data: unknown }

const eventOf = (block: string): readonly StreamedEvent[] => {
  const [, id = '', type = '', data = ''] =
    /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
  return id === '' ? [] : [{ id: Number(id), type, data: JSON.parse(data) }]
}

/** Follows an order until the test ends, as a browser's EventSource does. */
const follow = async (
  orderRef: string,
  headers: Readonly<Record<string, string>> = MERCHANT,
  at = url,
) => {
  const leaving = new AbortController()
  const path = `${at}/machine/orders/${orderRef}/history/events`
  const response = await fetch(path, { headers, signal: leaving.signal })
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  // A stream may also end with its connection.
  const ended = read().catch(() => {})
  const events = () => text.split('\n\n').slice(0, -1).flatMap(eventOf)
  /** As a closed tab does. */
  const leave = async (): Promise<void> => {
    leaving.abort()
    await ended
  }
  onTestFinished(leave)
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events,
    reach: (last: number) => waitUntil(() => events().some(({ id }) => id >= last)),
    leave,
  }
}

describe('a stream of an order’s history', () => {
  it('resumes after Last-Event-ID on another server, without a loss or a repeat, and shows no personal data', async () => {
    const orderRef = await shop.place()
    const first = await follow(orderRef)
    await otherShop.submit(orderRef)
    await first.reach(2)
    await first.leave()
    await shop.submit(orderRef, { validation_code: '12345' })
    const after = String(first.events().at(-1)?.id)
    const second = await follow(orderRef, { ...MERCHANT, 'last-event-id': after }, other.url)
    await second.reach(3)
    await waitUntil(async () => (await shop.wait(orderRef)).action === 'resume_after_screening')
    await shop.submit(orderRef)
    await waitUntil(async () => (await shop.wait(orderRef)).action === 'finish')
    const history = await shop.history(orderRef)
    await second.reach(history.length)
    const streamed = [...first.events(), ...second.events()].slice(0, history.length)
    expect(streamed.map(({ data }) => data)).toEqual(history)
    expect(streamed.map(({ id }) => id)).toEqual(history.map(({ seq }) => seq))
    for (const value of Object.values(PERSON).filter((each) => String(each).length > 4))
      expect(first.text() + second.text()).not.toContain(String(value))
    expect(second.headers.get('cache-control')).toBe('no-store')
    // Otherwise nginx would collect lines before it sends them.
    expect(second.headers.get('x-accel-buffering')).toBe('no')
  })

  it('is one of as many as an account may open; others wait until one is closed', async () => {
    const orderRef = await shop.place()
    const open = await Promise.all(Array.from({ length: STREAMS_MAX }, () => follow(orderRef)))
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
    const refused = await follow(orderRef)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await follow(orderRef, OPERATOR)).status).toBe(200)
    await open[0]?.leave()
    await waitUntil(async () => (await follow(orderRef)).status === 200)
  })
})
