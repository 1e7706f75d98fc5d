// Runs real servers on a real PostgreSQL that becomes unreachable, or cannot be used.
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { newKeyEntry } from '@plazo/adapters/encryption'
import { serve } from '@plazo/server'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openStorage } from '../../packages/server/src/settings/storage.ts'
import { composeInMode, configFrom } from '../harness/config.ts'
import { queryPostgres, startOwnPostgres } from '../harness/postgres.ts'
import {
  type RunningServer,
  runUntilExit,
  spawnServer,
  startServer,
} from '../harness/running-server.ts'
import { keyringOf } from '../harness/secret-keys.ts'
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
    await waitUntil(async () => (await shop.send('GET', '/readyz')).status === 503)
    const merchant = { authorization: basic(DEMO.username, DEMO.password) }
    const operator = { authorization: basic('operator', 'operator') }
    const answers = await Promise.all([
      shop.send('GET', '/readyz'),
      shop.send('GET', '/metrics'),
      shop.send('POST', '/orders', orderBody({}, server.url), merchant),
      shop.send('POST', `/api/v1/checkout/${ref}/identification`, PERSON),
      shop.send('GET', `/api/v1/checkout/${ref}/wait`),
      shop.send('GET', `/api/v1/checkout/${ref}/metadata?product_code=i1`),
      shop.send('GET', `/orders/${ref}/history`, undefined, merchant),
      shop.send('GET', `/orders/${ref}/form_v2?product=i1`, undefined, merchant),
      shop.send('PUT', `/orders/${ref}`, { order: { status: 'confirmed' } }, merchant),
      shop.send('GET', '/merchants/credentials', undefined, merchant),
      shop.send('GET', '/merchants/demo/deliveries', undefined, merchant),
      shop.send('GET', '/console', undefined, operator),
      shop.send('GET', `/console/orders/${ref}`, undefined, operator),
      shop.send('POST', `/console/orders/${ref}/cancel`, undefined, operator),
      shop.send('GET', `/sandbox/messages?order_ref=${ref}`),
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
    expect(server.output()).not.toContain('"event":"fault"')
    expect(server.output()).not.toContain(passwordOf(postgres.url))
    expect(await server.stop()).toBe(0)
  })

  it('a server stops when asked to', async () => {
    const server = await startOnPostgres()
    await postgres.stop()
    onTestFinished(postgres.start)
    expect(await server.stop()).toBe(0)
  })

  it('a server that starts waits for the database', async () => {
    const config = configFrom({ ...envOf(await postgres.database()), PORT: '0' })
    await postgres.stop()
    const logged: string[] = []
    const serving = await serve(
      config,
      (event) => {
        logged.push(event)
        if (event === 'awaiting_database') void postgres.start()
      },
      { compose: composeInMode },
    )
    expect((await fetch(`${serving.baseUrl}/readyz`)).status).toBe(200)
    expect(logged.filter((event) => event === 'awaiting_database')).toHaveLength(1)
    await serving.stop()
  })
})

describe('a database that cannot be used', () => {
  const at = (change: (url: URL) => void): string => {
    const url = new URL(postgres.url)
    change(url)
    return url.href
  }

  it('ends the start at once, with a line that names it without its password', async () => {
    const unknown = at((url) => {
      url.pathname = '/nowhere'
    })
    const wrong = at((url) => {
      url.password = 'not-this-one'
    })
    const { port } = new URL(postgres.url)
    expect(await runUntilExit({ SECRET_KEY: KEY, DATABASE_URL: unknown })).toMatchObject({
      code: 1,
      printed: `plazo does not start: postgres://postgres@127.0.0.1:${port}/nowhere: database "nowhere" does not exist\n`,
    })
    expect(await runUntilExit({ SECRET_KEY: KEY, DATABASE_URL: wrong })).toMatchObject({
      code: 1,
      printed: expect.stringMatching(
        /postgres@127\.0\.0\.1:\d+\/postgres: password authentication failed for user "postgres"\n$/,
      ),
    })
  })

  it('ends the start after a wait if the database is read-only', async () => {
    const url = new URL(await postgres.database())
    const name = url.pathname.slice(1)
    await queryPostgres(
      postgres.url,
      `alter database ${name} set default_transaction_read_only = on`,
    )
    await expect(
      openStorage(
        { database: { type: 'postgres', url: url.href }, keyring: keyringOf(KEY) },
        { patience: 1 },
      ),
    ).rejects.toThrow(
      / takes no writes: it is a standby, or read-only\. Have DATABASE_URL lead to the primary\.$/,
    )
  })

  const HTTP = 'HTTP/1.1 400 Bad Request\r\n\r\n'

  it.each([
    ['nobody listens', null, 'connection_refused'],
    ['a web server listens', (socket: Socket) => socket.end(HTTP), 'connection_lost'],
    [
      'another service listens',
      (socket: Socket) => socket.write('SSH-2.0-x\r\n'),
      'connection_timeout',
    ],
  ])(
    'is named with the reason while a server waits for it, without its password: %s',
    async (_, answer, reason) => {
      const service = createServer((socket) => {
        socket.on('error', () => {}).once('data', () => answer?.(socket))
      })
      onTestFinished(() => void service.close())
      const port =
        answer === null
          ? 1
          : await new Promise<number>((resolve) =>
              service.listen(0, '127.0.0.1', () =>
                resolve((service.address() as AddressInfo).port),
              ),
            )
      const database = `postgres://plazo:p4ssword@127.0.0.1:${port}/plazo`
      const waiting = spawnServer({ env: { ...envOf(database), LOG_LEVEL: 'warn' } })
      await waitUntil(() => waiting.output().includes('awaiting_database'))
      const { msg } = JSON.parse(waiting.output().split('\n')[0] ?? '') as { readonly msg: string }
      expect(msg).toMatch(
        new RegExp(`waiting for it: postgres://plazo@127.0.0.1:${port}/plazo: .*${reason}`),
      )
      expect(waiting.output()).not.toContain('p4ssword')
      waiting.child.kill('SIGTERM')
      expect(await waiting.ended).toBe(0)
    },
  )
})
