// The operator's calls for programs: the four decisions and the erasure. Contract §9.
import { describe, expect, it } from 'vitest'
import { basic } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const OPERATOR = basic('operator', 'operator')

const { server, shop, stages } = await servedShop()

type Headers = Readonly<Record<string, string>>

const ask = (method: string, path: string, headers: Headers = {}): Promise<Response> =>
  fetch(`${server.url}/console/orders/${path}`, {
    method,
    headers: { authorization: OPERATOR, ...headers },
  })

const placeInReview = (): Promise<string> => stages.settled(surnames('review event'))

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
      goes: expect.arrayContaining(['payload']),
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
      goes: [],
      unfinished: [],
      before: true,
    })
    expect((await ask('GET', `${crypto.randomUUID()}/erasure`)).status).toBe(404)
  })
})
