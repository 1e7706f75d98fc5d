// Merchants of the sandbox see here what plazo sends them, before they have a server. Sandbox rules,
// Webhook inbox.
import { sign } from '@plazo/adapters/http'
import { describe, expect, it } from 'vitest'
import type { Inbox } from '../../packages/server/src/sandbox/webhooks/protocol.ts'
import { merchantWords } from '../harness/command-line.ts'
import { shopAt } from '../harness/shop.ts'
import { servedShopOnFile } from './served-shop.ts'
import { stagesOf } from './stages.ts'

const { server, shop, stages, plazo } = await servedShopOnFile()

const other = shopAt(server.url, { username: 'lamps', password: 'of-lamps' })
await plazo.json(...merchantWords('lamps', { password: 'of-lamps' }))

const inboxOf = async (path: string, of = shop): Promise<Inbox> =>
  (await of.asMerchant('GET', path)).json() as Promise<Inbox>
const demoInbox = () => inboxOf('/sandbox/demo/inbox')

const post = (path: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(path.startsWith('http') ? path : `${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body,
  })

describe('the demo merchant’s inbox', () => {
  it('shows each webhook with its headers, body, signature and response, newest first', async () => {
    const orderRef = await stages.settled()
    const { ipn_url, events_url, requests } = await demoInbox()
    expect([ipn_url, events_url]).toEqual([
      `${server.url}/demo/notify`,
      `${server.url}/demo/events`,
    ])
    const [ipn] = requests.filter(
      ({ order_ref, endpoint }) => order_ref === orderRef && endpoint === 'ipn',
    )
    expect(ipn).toMatchObject({
      signature: 'right',
      status: 200,
      event: null,
      is_cut: false,
    })
    expect(ipn?.delivery).toMatch(`${orderRef}:`)
    expect(ipn?.headers).toMatchObject({
      'webhook-id': ipn?.delivery,
      'content-type': expect.stringMatching(/form/),
    })
    expect(new URLSearchParams(ipn?.body).get('order_ref')).toBe(orderRef)
    const ids = requests.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted((a, b) => b - a))
  })

  it('marks requests that are unsigned or wrongly signed', async () => {
    expect((await post('/demo/events', 'event=denied&order_ref=unsigned')).status).toBe(401)
    const headers = { 'x-service-signature': sign('0'.repeat(32), 'event=denied&order_ref=wrong') }
    expect((await post('/demo/events', 'event=denied&order_ref=wrong', headers)).status).toBe(401)
    const [wrong, unsigned] = (await demoInbox()).requests
    expect(wrong).toMatchObject({
      signature: 'wrong',
      status: 401,
      order_ref: null,
      body: expect.stringContaining('wrong'),
    })
    expect(unsigned).toMatchObject({ signature: 'missing', status: 401 })
  })

  it('keeps 64 KiB of a body, and never credentials or a whole card number', async () => {
    const body = `card=4111111111111111&${'x'.repeat(70_000)}`
    await post('/demo/notify', body, { authorization: 'Basic abc', cookie: 'a=b' })
    const [request] = (await demoInbox()).requests
    expect(request).toMatchObject({ is_cut: true, body: expect.stringContaining('card=•••• 1111') })
    expect(Buffer.byteLength(request?.body ?? '')).toBeLessThanOrEqual(64 * 1024)
    expect(Object.keys(request?.headers ?? {})).not.toEqual(
      expect.arrayContaining(['authorization']),
    )
    expect(JSON.stringify(request)).not.toContain('a=b')
  })

  it('keeps no part of a card number at which it cuts a body', async () => {
    await post('/demo/notify', `${'x'.repeat(65_524)}4111111111111111`)
    expect((await demoInbox()).requests[0]).toMatchObject({
      is_cut: true,
      body: 'x'.repeat(65_524),
    })
  })

  it('has the last 200 requests', async () => {
    for (let count = 0; count < 210; count++)
      await post('/demo/events', `event=denied&order_ref=${count}`)
    const { requests } = await demoInbox()
    expect(requests).toHaveLength(200)
    expect(requests[0]?.body).toContain('order_ref=209')
  })

  it('is a page for a browser, on which hostile text stays text', async () => {
    await post('/demo/events', '<script>alert(1)</script>')
    const page = await fetch(`${server.url}/sandbox/demo/inbox`, {
      headers: { accept: 'text/html' },
    })
    const text = await page.text()
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('Webhooks of demo')
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

describe('a merchant that receives here', () => {
  it('has no URLs until it asks for them, and then keeps them', async () => {
    expect(await inboxOf('/sandbox/inbox', other)).toEqual({
      ipn_url: null,
      events_url: null,
      requests: [],
    })
    const opened = (await (await other.asMerchant('POST', '/sandbox/inbox')).json()) as Inbox
    expect(opened.ipn_url).toMatch(/\/inbox\/[\w-]{22}\/ipn$/)
    expect(opened.events_url).toBe(opened.ipn_url?.replace('/ipn', '/events'))
    expect(await (await other.asMerchant('POST', '/sandbox/inbox')).json()).toEqual(opened)
  })

  it('finishes a checkout whose URLs are its own', async () => {
    const { ipn_url, events_url } = await inboxOf('/sandbox/inbox', other)
    const merchant = {
      id: 'lamps',
      notify_url: ipn_url,
      events_webhook: { url: events_url, parameters: {} },
    }
    const orderRef = await stagesOf(other).settled({}, { merchant })
    expect(await other.order(orderRef)).toMatchObject({ state: { checkout: 'confirmed' } })
    const { requests } = await inboxOf('/sandbox/inbox', other)
    expect(
      requests.filter(({ order_ref }) => order_ref === orderRef).map(({ signature }) => signature),
    ).toContain('right')
    expect(JSON.stringify(await demoInbox())).not.toContain(orderRef)
  })

  it('loses a request together with the order’s shopper', async () => {
    const { ipn_url } = await inboxOf('/sandbox/inbox', other)
    const merchant = { id: 'lamps', notify_url: ipn_url, events_webhook: null }
    const orderRef = await stagesOf(other).settled({}, { merchant })
    const isKept = async () =>
      JSON.stringify(await inboxOf('/sandbox/inbox', other)).includes(orderRef)
    expect(await isKept()).toBe(true)
    await other.advance(8 * 86_400)
    await plazo.json('orders', 'erase', orderRef, '--yes')
    expect(await isKept()).toBe(false)
  })

  it('answers 404 under any other path', async () => {
    expect((await post('/inbox/AAAAAAAAAAAAAAAAAAAAAA/ipn', '')).status).toBe(404)
    expect((await post('/inbox/%25/events', '')).status).toBe(404)
  })
})
