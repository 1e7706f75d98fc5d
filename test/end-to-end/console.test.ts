// The console over HTTP: its pages and forms for operators, and the calls for programs. Contract §2
// and §9.
import { describe, expect, it } from 'vitest'
import { basic, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const OPERATOR = basic('operator', 'operator')

const { server, shop, stages } = await servedShop()

type Headers = Readonly<Record<string, string>>

const ask = (method: string, path: string, headers: Headers = {}): Promise<Response> =>
  fetch(`${server.url}/console/orders/${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: OPERATOR, ...headers },
  })

const placeInReview = (): Promise<string> => stages.settled(surnames('review event'))

const buttons = async (orderRef: string): Promise<readonly string[]> =>
  [
    ...(await (await ask('GET', orderRef)).text()).matchAll(
      /action="[^"]*\/decisions\/(approve|reject|request-cancellation|cancel)"/g,
    ),
  ].map(([, name]) => name ?? '')

describe('the page of an order', () => {
  it('escapes text that the merchant sent', async () => {
    const order_ref_1 = `<img src=x onerror=alert(1)>"'&\n${crypto.randomUUID()}`
    const ref = await stages.settled(
      {},
      { merchant_reference: { order_ref_1, order_ref_2: '</main>' } },
    )
    const text = await (await ask('GET', ref)).text()
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(text).not.toContain('<img')
    expect(text.match(/<\/main>/g)).toHaveLength(1)
  })

  it('contains no personal data of the shopper', async () => {
    const ref = await stages.paid()
    // The reference is random and may contain any of these texts.
    const text = (await (await ask('GET', ref)).text()).replaceAll(ref, '')
    for (const own of [
      PERSON.given_names,
      PERSON.surnames,
      PERSON.mobile_phone,
      PERSON.nin,
      PERSON.address,
      '4111',
    ])
      expect(text).not.toContain(own)
  })

  it('offers exactly the decisions that are possible now', async () => {
    const review = await placeInReview()
    expect(await buttons(await shop.place())).toEqual([])
    expect(await buttons(review)).toEqual(['approve', 'reject'])
    const confirmed = await stages.settled(
      {},
      { merchant: { events_webhook: { url: 'http://127.0.0.1:9/' } } },
    )
    expect(await buttons(confirmed)).toEqual(['request-cancellation', 'cancel'])
    await shop.decide(confirmed, 'request-cancellation')
    expect(await buttons(confirmed)).toEqual(['cancel'])
    await shop.decide(confirmed, 'cancel')
    expect(await buttons(confirmed)).toEqual([])
    await shop.decide(review, 'reject')
    expect(await buttons(review)).toEqual([])
  })

  it('is a page for a person and a problem for a program without credentials, or at an unknown path', async () => {
    for (const [path, status] of [
      ['/console', 401],
      ['/nothing-here', 404],
    ] as const) {
      const [page, data] = await Promise.all([
        shop.send('GET', path, undefined, { accept: BROWSER }),
        shop.send('GET', path),
      ])
      expect([page.status, data.status]).toEqual([status, status])
      expect(page.headers.get('content-type')).toMatch(/^text\/html/)
      expect(data.headers.get('content-type')).toBe('application/problem+json')
      expect(page.headers.get('www-authenticate')).toBe(data.headers.get('www-authenticate'))
    }
  })

  it('does not exist for an unknown order, and leads on', async () => {
    for (const path of [crypto.randomUUID(), 'none']) {
      const page = await ask('GET', path, { accept: BROWSER })
      expect([page.status, page.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=UTF-8',
      ])
      const text = await page.text()
      expect(text).toContain('<h1>Order not found.</h1>')
      expect(text).toContain('<nav aria-label="Pages">')
    }
  })
})

describe('a call of the operator', () => {
  it.each<[string, Headers]>([
    ['nothing', {}],
    ['anything', { accept: '*/*' }],
    ['JSON', { accept: 'application/json' }],
    ['JSON, text or anything', { accept: 'application/json, text/plain, */*' }],
    ['pages, as a browser does', { accept: BROWSER }],
    ['what nobody can read', { accept: ';;q=,,/' }],
  ])('returns the order or a problem to a client that accepts %s', async (_, headers) => {
    const ref = await placeInReview()
    const done = await ask('POST', `${ref}/approve`, headers)
    expect([done.status, done.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await done.json()).toMatchObject({ order_ref: ref, state: { checkout: 'confirming' } })
    const refused = await ask('POST', `${ref}/approve`, headers)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      409,
      'application/problem+json',
    ])
  })

  it('ignores a body', async () => {
    const url = `${server.url}/console/orders/${await placeInReview()}/approve`
    const [method, headers] = ['POST', { authorization: OPERATOR }]
    expect((await fetch(url, { method, headers, body: '{"revision":1' })).status).toBe(200)
  })

  it('answers problems without credentials and for an unknown order, to a browser too', async () => {
    const ref = await placeInReview()
    const call = async (path: string, authorization: string) => {
      const answer = await ask('POST', path, { accept: BROWSER, authorization })
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      return answer.status
    }
    expect(await call(`${ref}/approve`, '')).toBe(401)
    expect(await call(`${ref}/approve`, basic('demo', 'demo'))).toBe(401)
    expect(await call(`${ref}/erasure`, '')).toBe(401)
    expect(await call(`${crypto.randomUUID()}/approve`, OPERATOR)).toBe(404)
    expect(await call('none/erasure', OPERATOR)).toBe(404)
  })
})

describe('the erasure of a shopper', () => {
  it('is JSON for a program: what would go, what went, and why not yet', async () => {
    const fresh = await shop.place()
    expect(await (await ask('GET', `${fresh}/erasure`)).json()).toMatchObject({
      order_ref: fresh,
      goes: { person: 0, payload: 1 },
      unfinished: expect.arrayContaining([expect.stringContaining('has not ended')]),
      before: false,
    })
    expect((await ask('POST', `${fresh}/erasure`)).status).toBe(409)
    const ref = await stages.settled()
    await shop.advance(0)
    const erase = async () => (await ask('POST', `${ref}/erasure`)).json()
    expect(await erase()).toEqual({ order_ref: ref, forgotten: true, before: false })
    expect(await erase()).toEqual({ order_ref: ref, forgotten: true, before: true })
    expect(await (await ask('GET', `${ref}/erasure`)).json()).toMatchObject({
      goes: { person: 0, cards: 0, payload: 0, inputs: 0, deliveries: 0 },
      unfinished: [],
      before: true,
    })
    expect((await ask('GET', `${crypto.randomUUID()}/erasure`)).status).toBe(404)
  })
})

describe('the list of decisions', () => {
  const readList = async (query: string): Promise<string> => {
    const headers = { authorization: OPERATOR, accept: BROWSER }
    return (await fetch(`${server.url}/console/decisions${query}`, { headers })).text()
  }

  /** The form of a decision in the list: its path and its revision. */
  const formIn = async (ref: string, name: string) => {
    const [, path = '', revision = ''] =
      new RegExp(
        `action="orders/(${ref}/decisions/${name}[^"]*)"[^]*?name="revision" value="(\\d+)"`,
      ).exec(await readList('?kind=review')) ?? []
    return { path: path.replaceAll('&amp;', '&'), revision }
  }

  const send = ({ path, revision }: Awaited<ReturnType<typeof formIn>>): Promise<Response> =>
    fetch(`${server.url}/console/orders/${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ revision }),
      headers: { authorization: OPERATOR, accept: BROWSER },
    })

  it('leads back behind the order that was decided, and refuses a form that is sent again', async () => {
    const ref = await placeInReview()
    const form = await formIn(ref, 'reject')
    const done = await send(form)
    expect(done.status).toBe(303)
    expect(done.headers.get('location')).toMatch(
      new RegExp(`/console/decisions\\?kind=review&after=\\d+&done=reject&order=${ref}$`),
    )
    const repeated = await send(form)
    expect(repeated.status).toBe(409)
    expect(await repeated.text()).toContain('The order has changed since this decision was offered')
    expect(await readList('?kind=review')).not.toContain(ref)
  })

  it('escapes text that the merchant sent, and contains no personal data of the shopper', async () => {
    const order_ref_1 = `<img src=x onerror=alert(1)> ${crypto.randomUUID()}`
    const ref = await stages.settled(surnames('review event'), {
      merchant_reference: { order_ref_1 },
    })
    const text = (await readList('?kind=review')).replaceAll(ref, '')
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(text).not.toContain('<img')
    for (const own of [PERSON.given_names, PERSON.mobile_phone, PERSON.nin, PERSON.address])
      expect(text).not.toContain(own)
  })
})
