// Runs the programs of docs/hosts/whole-server.md that put the whole server under a prefix, and follows
// every link as a browser would.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { composeSandbox } from '@plazo/server/sandbox'
import { Hono } from 'hono'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { configFrom } from '../harness/config.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { basic, CODE, PERSON, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

const guide = readFileSync(
  fileURLToPath(new URL('../../docs/hosts/whole-server.md', import.meta.url)),
  'utf8',
)
const programs = [...guide.matchAll(/```js\n([\s\S]*?)```/g)].map(([, program = '']) => program)
const programWith = (text: string): string =>
  programs.find((program) => program.includes(text)) ?? ''

const folder = fileURLToPath(new URL('./generated/mounted', import.meta.url))

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Ends when the tests of this file do. */
const startProgram = async (name: string, program: string): Promise<string> => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${name}.mjs`, program)
  const port = await freePort()
  const child = spawn(process.execPath, [`${folder}/${name}.mjs`], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  const url = `http://localhost:${port}`
  await waitUntil(async () => (await fetch(url).catch(() => null))?.status === 200)
  return url
}

const OPERATOR = { authorization: basic('operator', 'operator') }

/** The addresses on a page of its own server, as a browser resolves them. */
const linksOn = (url: string, page: string): readonly string[] => {
  const [, base = ''] = /<base href="([^"]*)"/.exec(page) ?? []
  return [...page.matchAll(/ (?:href|src|action)="([^"#]*)/g)]
    .map(([, link = '']) => new URL(link.replaceAll('&amp;', '&'), new URL(base, url)))
    .filter(({ origin, pathname }) => origin === new URL(url).origin && !pathname.includes('<'))
    .map(({ href }) => href)
}

/**
 * Reads each page from `start` on. Returns the addresses that are outside of the prefix or missing.
 */
const followLinks = async (
  start: string,
): Promise<{ readonly broken: readonly string[]; readonly count: number }> => {
  const visited = new Map<string, string>([[start, 'start']])
  const broken: string[] = []
  for (const [url, from] of visited) {
    const response = await fetch(url, { headers: { ...OPERATOR, accept: 'text/html' } })
    const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
    if (response.status === 404 || !new URL(url).pathname.startsWith('/plazo'))
      broken.push(`${url} on ${from}`)
    // A stream would never end.
    if (!isPage) await response.body?.cancel()
    else if (visited.size < 60)
      for (const link of linksOn(url, await response.text()))
        if (!visited.has(link)) visited.set(link, url)
  }
  return { broken, count: visited.size }
}

describe.each([
  ['Hono', 'app.route('],
  ['Hono, by its mount', 'app.route('],
  ['Express', "from 'express'"],
])('the server in %s', async (name, text) => {
  const program = programWith(text)
  const source = name.includes('mount')
    ? program.replace("app.route('/plazo', plazo.app)", "app.mount('/plazo', plazo.app.fetch)")
    : program
  const url = await startProgram(name.replaceAll(/\W/g, '-').toLowerCase(), source)

  it.each(['/plazo', '/plazo/'])(
    'works at %s: each link and script leads to a page',
    async (path) => {
      const { broken, count } = await followLinks(`${url}${path}`)
      expect(broken).toEqual([])
      expect(count).toBeGreaterThan(12)
    },
  )

  it.each([
    'docs',
    'openapi.json',
    'console',
    'machine',
    'sdk/machine.json',
    'sdk/checkout.js',
    'sandbox/triggers',
    'healthz',
    'readyz',
    'favicon.svg',
  ])('answers %s', async (path) => {
    expect((await fetch(`${url}/plazo/${path}`, { headers: OPERATOR })).status).toBe(200)
  })

  it('takes an order from its first submission to its payment, with all its pages and its stream', async () => {
    const shop = shopAt(`${url}/plazo`)
    const orderRef = await shop.place()
    const body = { ...PERSON, credit_agreement: { product: 'fp1', instalment_count: 1 } }
    // A shop's page of another origin submits it.
    const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' }
    const path = `/api/v1/checkout/${orderRef}/identification`
    expect(await (await shop.send('POST', path, body, headers)).json()).toMatchObject({
      action: 'require_validate_otp',
    })
    expect(await shop.submit(orderRef, { ...body, validation_code: CODE })).toMatchObject({
      action: 'wait_for_screening',
      polling_url: `${url}/plazo/api/v1/checkout/${orderRef}/wait`,
    })
    await shop.advance(60)
    await shop.submit(orderRef, body)
    await shop.advance(0)
    const { action, iframe_url } = await shop.wait(orderRef)
    expect(action).toBe('require_payment')
    expect((await followLinks(String(iframe_url))).broken).toEqual([])
    await shop.pay(iframe_url)
    await shop.advance(0)
    expect(await shop.wait(orderRef)).toMatchObject({ action: 'finish' })
    for (const page of [
      `orders/${orderRef}/form_v2`,
      `machine/orders/${orderRef}`,
      `console/orders/${orderRef}`,
    ])
      expect((await followLinks(`${url}/plazo/${page}`)).broken, page).toEqual([])
    const stream = await fetch(`${url}/plazo/machine/orders/${orderRef}/history/events?after=0`, {
      headers: { authorization: basic('demo', 'demo'), accept: 'text/event-stream' },
    })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    await stream.body?.cancel()
  })
})

const composeApp = async (baseUrl: string) => {
  const plazo = await composeSandbox(configFrom({ DATABASE_URL: 'sqlite::memory:' }), {
    baseUrl,
    log: () => {},
  })
  onTestFinished(() => plazo.stop())
  return plazo.app
}

const BODY_WAS_READ = {
  detail:
    'The body was read before plazo got the request, for example by express.json(). Mount plazo before every body parser.',
}

describe('a body that another parser has read', () => {
  it.each([
    ['orders', 'application/json', '{"order":{}}'],
    ['providers/payment', 'application/json', '{"id":"x"}'],
    ['sandbox/clock/advance', 'application/json', '{"seconds":1}'],
    ['console/merchants', 'application/x-www-form-urlencoded', 'ref=x'],
  ])('gets an answer that says so at /%s', async (path, contentType, body) => {
    const listener = getRequestListener((await composeApp('http://localhost/')).fetch)
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      await listener(request, response)
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const user = path.startsWith('console') ? 'operator' : 'demo'
    const headers = { 'content-type': contentType, authorization: basic(user, user) }
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`, {
      method: 'POST',
      headers,
      body,
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject(BODY_WAS_READ)
  })

  it('gets an answer that says so in Express', async () => {
    const parser = 'app.use(express.json())\n'
    const program = programWith("from 'express'")
      .replace(parser, '')
      .replace("app.use('/plazo'", `${parser}app.use('/plazo'`)
    const shop = shopAt(`${await startProgram('express-parser', program)}/plazo`)
    const answer = await shop.asMerchant('POST', '/orders', { order: {} })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject(BODY_WAS_READ)
  })

  it('gets an answer that says so in Hono', async () => {
    const app = new Hono()
    app.use('*', async (c, next) => {
      await c.req.json()
      await next()
    })
    app.route('/plazo', await composeApp('http://localhost/plazo'))
    const headers = { 'content-type': 'application/json', authorization: basic('demo', 'demo') }
    const answer = await app.request('http://localhost/plazo/orders', {
      method: 'POST',
      headers,
      body: '{"order":{}}',
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject(BODY_WAS_READ)
  })
})
