// The rate limits, tested on the whole app with a clock of the test. Contract §2, 429.
import { type compose, openLog } from '@plazo/server'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { rateLimits } from '../../packages/server/src/http/limits/rate-limits.ts'
import { composeInMode, configFrom } from '../harness/config.ts'
import { basic, orderBody, PERSON } from '../harness/shop.ts'

const MINUTE = 60_000
const BASE_URL = 'https://pay.example'
type ComposedServer = Awaited<ReturnType<typeof compose>>

const config = configFrom({
  DATABASE_URL: 'sqlite::memory:',
  TRUSTED_PROXIES: '10.0.0.0/8',
})

const clock = { now: 0 }
const log = openLog('silent')
const sandbox = await composeInMode(config, {
  baseUrl: BASE_URL,
  log,
})
const limited = await composeInMode(config, {
  baseUrl: BASE_URL,
  log,
  limits: (from, to) => rateLimits(from, to, () => clock.now),
})
afterAll(async () => {
  await limited.stop()
  await sandbox.stop()
})
// Starts a minute without any requests.
beforeEach(() => {
  clock.now += MINUTE
})

type Headers = Readonly<Record<string, string>>

const ask = async (
  { app }: ComposedServer,
  method: string,
  path: string,
  {
    from = '203.0.113.1',
    body,
    ...headers
  }: Headers & { readonly from?: string; readonly body?: string } = {},
): Promise<Response> =>
  app.request(
    path,
    { method, headers, ...(body !== undefined && { body }) },
    {
      incoming: { socket: { remoteAddress: from } },
    },
  )

const demo = basic('demo', 'demo')

/** What is sent to a server. */
const callsOf = (served: ComposedServer) => ({
  place: async (): Promise<string> => {
    const headers = { authorization: demo, 'content-type': 'application/json' }
    const body = JSON.stringify(orderBody())
    const placed = await ask(served, 'POST', '/orders', { ...headers, body })
    return placed.headers.get('location')?.split('/').at(-1) ?? ''
  },
  submit: (orderRef: string, overrides: Headers = {}): Promise<Response> =>
    ask(served, 'POST', `/api/v1/checkout/${orderRef}/identification`, {
      'content-type': 'application/json',
      body: JSON.stringify({ ...PERSON, nin: '' }),
      ...overrides,
    }),
  login: (password: string, overrides: Headers = {}): Promise<Response> =>
    ask(served, 'GET', '/merchants/credentials', {
      authorization: basic('demo', password),
      ...overrides,
    }),
})

const { place, submit, login } = callsOf(limited)
const poll = (orderRef: string): Promise<Response> =>
  ask(limited, 'GET', `/api/v1/checkout/${orderRef}/wait`)

/** Counts the answers to `count` calls by status. */
const tally = async (
  count: number,
  call: (n: number) => Promise<Response>,
): Promise<Readonly<Record<number, number>>> => {
  const counts: Record<number, number> = {}
  for (let n = 0; n < count; n++) {
    const { status } = await call(n)
    counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

const isRefused = async (answer: Response, seconds: string): Promise<void> => {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, seconds])
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(await answer.json()).toEqual({
    type: 'about:blank',
    title: 'Too Many Requests',
    status: 429,
    detail: expect.stringMatching(/minute/),
  })
}

describe('for one checkout', () => {
  it('60 submissions a minute are accepted, independently of other checkouts', async () => {
    const [ref, other] = [await place(), await place()]
    expect(await tally(60, () => submit(ref))).toEqual({ 200: 60 })
    const refused = await submit(ref)
    await isRefused(refused, '60')
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('access-control-expose-headers')).toBe('Retry-After')
    expect((await submit(ref.toUpperCase())).status).toBe(429)
    expect((await submit(other)).status).toBe(200)
    expect((await poll(ref)).status).toBe(200)
  })

  it('600 polls a minute are answered', async () => {
    const ref = await place()
    expect(await tally(601, () => poll(ref))).toEqual({ 200: 600, 429: 1 })
    await isRefused(await poll(ref), '60')
    expect((await submit(ref)).status).toBe(200)
    clock.now += MINUTE
    expect((await poll(ref)).status).toBe(200)
  })
})

it('from one address 300 submissions a minute are accepted, and rejected ones do not count for their checkout', async () => {
  const refs = await Promise.all(Array.from({ length: 6 }, () => place()))
  expect(await tally(300, (n) => submit(refs[n % 6] ?? ''))).toEqual({ 200: 300 })
  const ref = await place()
  await isRefused(await submit(ref), '60')
  expect(await tally(60, () => submit(ref))).toEqual({ 429: 60 })
  expect(await tally(60, () => submit(ref, { from: '203.0.113.2' }))).toEqual({ 200: 60 })
})

it('20 wrong passwords a minute are checked, and one that was right before is always checked', async () => {
  expect((await login('demo')).status).toBe(200)
  expect(await tally(25, (n) => login(`guess ${n}`))).toEqual({ 401: 20, 429: 5 })
  await isRefused(await login('guess'), '60')
  expect((await login('demo')).status).toBe(200)
  expect((await login('guess', { from: '203.0.113.2' })).status).toBe(401)
  const operator = basic('operator', 'wrong')
  const enter = () => ask(limited, 'GET', '/console/orders/x/erasure', { authorization: operator })
  clock.now += MINUTE
  expect(await tally(25, enter)).toEqual({ 401: 20, 429: 5 })
})

it('a request without credentials is not a failed login', async () => {
  expect(await tally(30, () => ask(limited, 'GET', '/merchants/credentials'))).toEqual({ 401: 30 })
  expect((await login('wrong')).status).toBe(401)
})

it('a sandbox has no limits', async () => {
  const unlimited = callsOf(sandbox)
  const ref = await unlimited.place()
  expect(await tally(310, () => unlimited.submit(ref))).toEqual({ 200: 310 })
  expect(await tally(25, () => unlimited.login('wrong'))).toEqual({ 401: 25 })
})
