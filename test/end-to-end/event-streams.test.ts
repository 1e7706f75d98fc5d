// Pages follow an order by server-sent events, from real servers. Contract §7, Machine.
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../harness/path-of-test.ts'
import { freshDatabase } from '../harness/postgres-storage.ts'
import { startServer } from '../harness/running-server.ts'
import { basic, DEMO, PERSON, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const MERCHANT = { authorization: basic(DEMO.username, DEMO.password) }
const OPERATOR = { authorization: basic('operator', 'operator') }
const STREAMS_MAX = 8

const sqliteFile = () => ({ DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}` })

const postgresDatabase = async () => {
  const { url, drop } = await freshDatabase()
  onTestFinished(drop)
  return { DATABASE_URL: url, SECRET_KEY: newKeyEntry() }
}

const launchServer = async (env: Readonly<Record<string, string>> = {}) => {
  const server = await startServer({ env })
  onTestFinished(() => server.kill().catch(() => {}))
  return server
}

const streamOf = (url: string, orderRef: string): string =>
  `${url}/machine/orders/${orderRef}/history/events`

type StreamedEvent = { readonly id: number; readonly type: string; readonly data: unknown }

type FollowedStream = {
  readonly status: number
  readonly headers: Headers
  /** Everything received so far. */
  readonly text: () => string
  readonly events: () => readonly StreamedEvent[]
  /** Resolves once the server has ended the stream. */
  readonly ended: Promise<void>
  /** Resolves once an event with this id has come. */
  readonly reach: (id: number) => Promise<void>
  /** Leaves, as a closed tab does. */
  readonly leave: () => Promise<void>
}

const eventOf = (block: string): readonly StreamedEvent[] => {
  const [, id = '', type = '', data = ''] =
    /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
  return id === '' ? [] : [{ id: Number(id), type, data: JSON.parse(data) }]
}

/** Follows an order until the test ends, as a browser's EventSource does. */
const follow = async (
  url: string,
  orderRef: string,
  headers: Readonly<Record<string, string>> = MERCHANT,
): Promise<FollowedStream> => {
  const leaving = new AbortController()
  const response = await fetch(streamOf(url, orderRef), { headers, signal: leaving.signal })
  let text = ''
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true })
  }
  // A stream may also end with its connection.
  const ended = read().catch(() => {})
  const events = () => text.split('\n\n').slice(0, -1).flatMap(eventOf)
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
    ended,
    reach: (last) => waitUntil(() => events().some(({ id }) => id >= last)),
    leave,
  }
}

const idsOf = (...streams: readonly FollowedStream[]): readonly number[] =>
  streams.flatMap((stream) => stream.events().map(({ id }) => id))

const numbersTo = (last: number): readonly number[] =>
  Array.from({ length: last }, (_, index) => index + 1)

describe('a stream of an order’s history', () => {
  it('resumes after Last-Event-ID, without a loss or a repeat, and shows no personal data', async () => {
    const { url } = await launchServer()
    const shop = shopAt(url)
    const orderRef = await shop.place()
    const first = await follow(url, orderRef)
    await shop.submit(orderRef)
    await first.reach(2)
    await first.leave()
    await shop.submit(orderRef, { validation_code: '12345' })
    await shop.advance(1)
    const last = (await shop.history(orderRef)).length
    const second = await follow(url, orderRef, {
      ...MERCHANT,
      'last-event-id': String(idsOf(first).at(-1)),
    })
    await second.reach(last)
    await shop.submit(orderRef)
    await shop.advance(60)
    const history = await shop.history(orderRef)
    await second.reach(history.length)
    expect(idsOf(first, second)).toEqual(numbersTo(history.length))
    expect([...first.events(), ...second.events()].map(({ data }) => data)).toEqual(history)
    for (const value of Object.values(PERSON).filter((each) => String(each).length > 4))
      expect(first.text() + second.text()).not.toContain(String(value))
    expect(second.headers.get('cache-control')).toBe('no-store')
    // Otherwise nginx would collect lines before it sends them.
    expect(second.headers.get('x-accel-buffering')).toBe('no')
  })

  it('has as many as an account may open; others wait until one is closed', async () => {
    const { url } = await launchServer()
    const orderRef = await shopAt(url).place()
    const open = await Promise.all(numbersTo(STREAMS_MAX).map(() => follow(url, orderRef)))
    expect(open.map(({ status }) => status)).toEqual(open.map(() => 200))
    const refused = await follow(url, orderRef)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10'])
    expect((await follow(url, orderRef, OPERATOR)).status).toBe(200)
    await open[0]?.leave()
    await waitUntil(async () => (await follow(url, orderRef)).status === 200)
  })
})

describe.each([
  ['SQLite', sqliteFile],
  ['PostgreSQL', postgresDatabase],
] as const)('two servers on one database of %s', (_, database) => {
  it('each stream what the other commits', async () => {
    const env = await database()
    const [one, other] = [await launchServer(env), await launchServer(env)]
    const shop = shopAt(other.url)
    const orderRef = await shopAt(one.url).place()
    const stream = await follow(one.url, orderRef)
    await shop.submit(orderRef)
    await stream.reach(2)
    await stream.leave()
    const resumed = await follow(other.url, orderRef, { ...MERCHANT, 'last-event-id': '2' })
    await shopAt(one.url).submit(orderRef, { validation_code: '12345' })
    await resumed.reach(3)
    expect(idsOf(stream, resumed)).toEqual(numbersTo(idsOf(resumed).at(-1) ?? 0))
  })
})
