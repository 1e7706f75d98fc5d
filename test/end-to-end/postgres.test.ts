import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../harness/ports-and-folders.ts'
import { startOwnPostgres } from '../harness/postgres.ts'
import {
  type RunningServer,
  runUntilExit,
  spawnServer,
  startServer,
} from '../harness/running-server.ts'
import { basic, CODE, DEMO, orderBody, PERSON, type Shop, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const KEY = newKeyEntry()

const postgres = await startOwnPostgres()
afterAll(() => postgres.close())

const envOf = (url: string) => ({ DATABASE_URL: url, SECRET_KEY: KEY, LOG_LEVEL: 'info' })

const startOnPostgres = async (): Promise<RunningServer> => {
  const server = await startServer({ env: envOf(await postgres.database()) })
  onTestFinished(() => server.kill().catch(() => {}))
  return server
}

/** From the code on. */
const finishOrder = async (shop: Shop, ref: string): Promise<void> => {
  await shop.submit(ref, { validation_code: CODE })
  await waitUntil(async () => (await shop.wait(ref)).action !== 'wait_for_screening')
  await shop.submit(ref)
  await waitUntil(async () => (await shop.wait(ref)).action === 'finish')
}

const eventsIn = (output: string): readonly string[] =>
  [...output.matchAll(/"event":"(\w+)"/g)].map(([, event = '']) => event)

const passwordOf = (url: string): string => new URL(url).password

describe('while the database is unreachable', () => {
  it('all clients are asked to retry later, and nothing is lost', async () => {
    const server = await startOnPostgres()
    const shop = shopAt(server.url)
    const ref = await shop.place()
    await shop.submit(ref)
    const before = await shop.history(ref)
    expect((await shop.send('GET', '/readyz')).status).toBe(200)

    await postgres.stop()
    // An idle server notices it too.
    await waitUntil(() => eventsIn(server.output()).includes('unavailable'))
    await waitUntil(async () => (await shop.send('GET', '/readyz')).status === 503)
    const merchant = { authorization: basic(DEMO.username, DEMO.password) }
    const operator = { authorization: basic('operator', 'operator') }
    const answers = await Promise.all([
      shop.send('GET', '/readyz'),
      shop.send('GET', '/metrics'),
      shop.send('POST', '/orders', orderBody({}, server.url), merchant),
      shop.send('POST', `/api/v1/checkout/${ref}/identification`, PERSON),
      shop.send('GET', `/api/v1/checkout/${ref}/wait`),
      shop.send('GET', `/orders/${ref}/history`, undefined, merchant),
      shop.send('GET', '/merchants/credentials', undefined, merchant),
      shop.send('GET', '/console', undefined, operator),
      shop.send('GET', `/console/orders/${ref}`, undefined, operator),
      shop.send('POST', '/sandbox/clock/advance', { seconds: 60 }),
      shop.form('/demo/notify', { a: 'b' }),
    ])
    for (const answer of answers) {
      expect([answer.url, answer.status, answer.headers.get('retry-after')]).toEqual([
        answer.url,
        503,
        '1',
      ])
      expect(answer.headers.get('content-type')).toMatch(/problem\+json/)
    }
    expect((await shop.send('GET', '/healthz')).status).toBe(200)
    expect((await shop.send('GET', '/sandbox/clock')).status).toBe(200)

    await postgres.start()
    await waitUntil(async () => (await shop.send('GET', '/readyz')).status === 200)
    expect((await shop.history(ref)).slice(0, before.length)).toEqual(before)
    await finishOrder(shop, ref)
    await waitUntil(() => eventsIn(server.output()).includes('available'))
    expect(eventsIn(server.output()).filter((event) => event === 'unavailable')).toHaveLength(1)
    expect(server.output()).not.toMatch(/"event":"fault"|internal_error/)
    expect(server.output()).not.toContain(passwordOf(postgres.url))
    expect(await server.stop()).toBe(0)
  })
})

describe('a database that cannot be used', () => {
  it('ends the start at once, with a line that names it without its password', async () => {
    const unknown = new URL(postgres.url)
    unknown.pathname = '/nowhere'
    expect(await runUntilExit({ SECRET_KEY: KEY, DATABASE_URL: unknown.href })).toMatchObject({
      code: 1,
      printed: `plazo does not start: postgres://postgres@127.0.0.1:${unknown.port}/nowhere: database "nowhere" does not exist\n`,
    })
  })

  it('is named with the reason while a server waits for it, alive but not ready, without its password', async () => {
    const port = await freePort()
    const database = 'postgres://plazo:p4ssword@127.0.0.1:1/plazo'
    const waiting = spawnServer({
      env: { ...envOf(database), LOG_LEVEL: 'warn', PORT: String(port) },
    })
    await waitUntil(() => waiting.output().includes('awaiting_database'))
    expect(waiting.output()).toMatch(
      /waiting for it: postgres:\/\/plazo@127\.0\.0\.1:1\/plazo: .*connection_refused/,
    )
    expect(waiting.output()).not.toContain('p4ssword')
    const request = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
    expect(await (await request('/healthz')).json()).toEqual({ status: 'alive' })
    const ready = await request('/readyz')
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1'])
    waiting.child.kill('SIGTERM')
    expect(await waiting.ended).toBe(0)
  })
})
