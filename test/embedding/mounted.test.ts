// Runs the program of docs/hosts/whole-server.md that puts the whole server under a prefix, and follows
// every link as a browser would.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { composeSandbox } from '@plazo/server/sandbox'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { configFrom } from '../harness/config.ts'
import { programsOf } from '../harness/packed-project.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { basic, CODE, PERSON, shopAt } from '../harness/shop.ts'
import { waitUntil } from '../harness/time.ts'

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

describe('the server under a prefix', async () => {
  // Inside the folder of the tests, so that imports find the packages.
  const folder = fileURLToPath(new URL('./generated/mounted', import.meta.url))
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/server.mjs`, programsOf('hosts/whole-server.md', 'js')[0] ?? '')
  const port = await freePort()
  const env = { PATH: process.env.PATH, PORT: String(port) }
  const stdio = ['ignore', 'ignore', 'inherit'] as const
  const child: ChildProcess = spawn(process.execPath, [`${folder}/server.mjs`], {
    env,
    stdio: [...stdio],
  })
  afterAll(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://localhost:${port}`
  await waitUntil(async () => (await fetch(url).catch(() => null))?.status === 200)

  it.each(['/plazo', '/plazo/'])(
    'works at %s: each link and script leads to a page',
    async (path) => {
      const { broken, count } = await followLinks(`${url}${path}`)
      expect(broken).toEqual([])
      expect(count).toBeGreaterThan(12)
    },
  )

  it('takes an order from its first submission to its payment, with all its pages', async () => {
    const shop = shopAt(`${url}/plazo`)
    const orderRef = await shop.place()
    const body = { ...PERSON, credit_agreement: { product: 'fp1', instalment_count: 1 } }
    await shop.submit(orderRef, body)
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
    for (const page of ['orders', 'machine/orders', 'console/orders']) {
      const path = `${page}/${orderRef}${page === 'orders' ? '/form_v2' : ''}`
      expect((await followLinks(`${url}/plazo/${path}`)).broken, page).toEqual([])
    }
  })
})

describe('a body that another parser has read', () => {
  it.each([
    ['orders', 'application/json', '{"order":{}}'],
    ['providers/payment', 'application/json', '{"id":"x"}'],
    ['sandbox/clock/advance', 'application/json', '{"seconds":1}'],
    ['console/merchants', 'application/x-www-form-urlencoded', 'ref=x'],
  ])('gets an answer that says so at /%s', async (path, contentType, body) => {
    const plazo = await composeSandbox(configFrom({ DATABASE_URL: 'sqlite::memory:' }), {
      baseUrl: 'http://localhost/',
      log: () => {},
    })
    const listener = getRequestListener(plazo.app.fetch)
    const server = createServer(async (request, response) => {
      for await (const _ of request);
      await listener(request, response)
    }).listen(0, '127.0.0.1')
    onTestFinished(async () => {
      server.close()
      await plazo.stop()
    })
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
    expect(await answer.json()).toMatchObject({
      detail:
        'The body was read before plazo got the request, for example by express.json(). Mount plazo before every body parser.',
    })
  })
})
