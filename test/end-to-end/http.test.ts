// Access control and the format of errors outside the action protocol. Contract §2.
import { describe, expect, it } from 'vitest'
import { basic, type Json, orderBody, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { surnames } from './stages.ts'

const { server, shop, stages } = await servedShop()

const ref = await shop.place()

const NOBODY = '00000000-0000-4000-8000-000000000000'
const demo = basic('demo', 'demo')
const operator = basic('operator', 'operator')
const JSON_TYPE = { 'content-type': 'application/json' }

const call = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
) => fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })

const aProblem = async (answer: Response, status: number): Promise<Json> => {
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const body = (await answer.json()) as Json
  expect(body).toEqual({
    type: expect.any(String),
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
  })
  return body
}

describe('a merchant’s endpoint', () => {
  it('is 403 for a merchant that does not exist or belongs to another account, wherever the merchant is named', async () => {
    const overrides = { ...JSON_TYPE, authorization: demo }
    await aProblem(await call('GET', '/merchants/nobody/credentials', overrides), 403)
    await aProblem(await call('PUT', '/merchants/nobody/orders/x', overrides, '{"order":{}}'), 403)
    const body = JSON.stringify(orderBody({ merchant: { id: 'nobody' } }, server.url))
    await aProblem(await call('POST', '/orders', overrides, body), 403)
    const header = { ...overrides, 'service-merchant-id': 'nobody' }
    await aProblem(await call('GET', `/orders/${ref}`, header), 403)
    const byBody = await call('POST', '/orders', header, JSON.stringify(orderBody({}, server.url)))
    expect(byBody.status).toBe(204)
  })
})

describe('a checkout endpoint', () => {
  it('needs no credentials and ignores wrong ones', async () => {
    expect((await call('GET', `/api/v1/checkout/${ref}/wait`)).status).toBe(200)
    expect(
      (await call('GET', `/api/v1/checkout/${ref}/wait`, { authorization: 'Basic x' })).status,
    ).toBe(200)
  })

  it('accepts a uuid in capitals', async () => {
    expect((await call('GET', `/api/v1/checkout/${ref.toUpperCase()}/wait`)).status).toBe(200)
  })

  it('is 400 for a body that is not UTF-8, in one piece or in chunks, and accepts every valid letter', async () => {
    const person = (city: string): Buffer => Buffer.from(JSON.stringify({ ...PERSON, city }))
    const sendBody = async (body: Buffer, isChunked: boolean): Promise<Response> => {
      const orderRef = await shop.place()
      const whole = isChunked ? new Blob([new Uint8Array(body)]).stream() : new Uint8Array(body)
      return fetch(`${server.url}/api/v1/checkout/${orderRef}/identification`, {
        method: 'POST',
        headers: JSON_TYPE,
        body: whole,
        ...(isChunked && { duplex: 'half' }),
      } as RequestInit)
    }
    for (const isChunked of [false, true]) {
      for (const city of ['Málaga', '上海', 'A\uFFFDB', '😀'])
        for (const mark of ['', '\uFEFF'])
          expect(
            (await sendBody(Buffer.concat([Buffer.from(mark), person(city)]), isChunked)).status,
            city,
          ).toBe(200)
      const latin = Buffer.from(person('Málaga').toString('utf8'), 'latin1')
      const bodyWith = (hex: string): Buffer => {
        const [before = '', after = ''] = person('#').toString('latin1').split('#')
        return Buffer.concat([
          Buffer.from(before, 'latin1'),
          Buffer.from(hex, 'hex'),
          Buffer.from(after, 'latin1'),
        ])
      }
      // Wrong bytes as long as their replacement, next to a genuine U+FFFD, and behind a byte order
      // mark that makes up for three bytes.
      const wrong = [
        latin,
        bodyWith('f09f98'),
        bodyWith('efbfbdf09f98'),
        bodyWith('efbfbdf09f9841'),
      ]
      const marked = Buffer.concat([Buffer.from('\uFEFF'), bodyWith('e2824141c3')])
      for (const body of [...wrong, marked]) {
        const { detail } = await aProblem(await sendBody(body, isChunked), 400)
        expect(detail).toBe('The body must be JSON in UTF-8.')
      }
      expect((await sendBody(bodyWith('efbfbdefbfbd'), isChunked)).status).toBe(200)
    }
  })
})

describe('a path', () => {
  it('is 404 if it does not exist', async () => {
    for (const path of [
      '/nothing',
      '/api/v1/checkout',
      `/api/v1/checkout/${ref}`,
      `/api/v2/checkout/${ref}/wait`,
    ])
      await aProblem(await call('GET', path), 404)
  })

  it.each<[string, string, string]>([
    ['GET', '/api/v1/checkout/REF/identification', 'POST'],
    ['DELETE', '/api/v1/checkout/REF/wait', 'GET'],
    ['DELETE', '/orders/REF', 'GET'],
    ['GET', '/orders', 'POST'],
    ['POST', '/merchants/credentials', 'GET'],
    ['POST', '/healthz', 'GET'],
    ['GET', '/sandbox/clock/advance', 'POST'],
  ])('is 405 with Allow for an unsupported method: %s %s', async (method, path, allowed) => {
    const answer = await call(method, path.replace('REF', ref), { authorization: demo })
    await aProblem(answer, 405)
    expect(answer.headers.get('allow')?.split(/\s*,\s*/)).toContain(allowed)
  })
})

describe('the operator', () => {
  it('receives 404 for an unknown order, 409 if the state does not allow the decision, and otherwise the order', async () => {
    await aProblem(
      await call('POST', `/console/orders/${NOBODY}/cancel`, { authorization: operator }),
      404,
    )
    for (const decision of ['approve', 'reject', 'request-cancellation', 'cancel'])
      await aProblem(
        await call('POST', `/console/orders/${ref}/${decision}`, { authorization: operator }),
        409,
      )
    const orderRef = await stages.settled(surnames('review event'))
    const answer = await call('POST', `/console/orders/${orderRef}/approve`, {
      authorization: operator,
    })
    expect(answer.status).toBe(200)
    expect(Object.keys((await answer.json()) as Json)).toEqual(
      Object.keys(await shop.order(orderRef)),
    )
  })
})

it('a challenge says that credentials are UTF-8, and a connection is kept longer than proxies keep it', async () => {
  for (const path of ['/merchants/credentials', '/console']) {
    const { headers } = await call('GET', path)
    expect(headers.get('www-authenticate')).toMatch(/^Basic realm="\w+", charset="UTF-8"$/)
    expect(headers.get('keep-alive')).toBe('timeout=65')
  }
})
