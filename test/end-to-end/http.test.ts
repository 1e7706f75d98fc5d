// The forms that a single request may have, outside the action protocol. The conformance suite has the
// statuses and problems of each endpoint. Contract §2.
import { expect, it } from 'vitest'
import { basic, type Json, orderBody, PERSON } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'

const { server, shop } = await servedShop()

const ref = await shop.place()

const demo = basic('demo', 'demo')
const MARK = Buffer.from('\uFEFF')
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

it('a merchant that does not exist is 403, wherever it is named, and an empty header names none', async () => {
  const overrides = { ...JSON_TYPE, authorization: demo }
  const body = JSON.stringify(orderBody({ merchant: { id: 'nobody' } }, server.url))
  await aProblem(await call('POST', '/orders', overrides, body), 403)
  await aProblem(await call('PUT', '/merchants/nobody/orders/x', overrides, '{"order":{}}'), 403)
  const header = { ...overrides, 'service-merchant-id': 'nobody' }
  await aProblem(await call('GET', `/orders/${ref}`, header), 403)
  const byBody = await call('POST', '/orders', header, JSON.stringify(orderBody({}, server.url)))
  expect(byBody.status).toBe(204)
  const empty = { ...overrides, 'service-merchant-id': '' }
  expect((await call('GET', `/orders/${ref}`, empty)).status).toBe(200)
})

it('a body that is not UTF-8 is 400, in one piece or in chunks, and accepts every valid letter', async () => {
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
  const whole = (city: string): Buffer => Buffer.concat([MARK, person(city)])
  // As many bytes as what replaces them, behind a byte order mark too.
  const [before = '', after = ''] = person('#').toString('latin1').split('#')
  const wrong = ['4de16c616761', 'efbfbdf09f98', 'e2824141c3'].map((hex) =>
    Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)]),
  )
  for (const isChunked of [false, true]) {
    for (const city of ['Málaga', 'A\uFFFDB', '😀', '上海'])
      expect((await sendBody(whole(city), isChunked)).status, city).toBe(200)
    for (const body of [...wrong, ...wrong.map((each) => Buffer.concat([MARK, each]))]) {
      const { detail } = await aProblem(await sendBody(body, isChunked), 400)
      expect(detail).toBe('The body must be JSON in UTF-8.')
    }
  }
})

it.each(['application/JSON ; Charset="utf-8"', 'application/vnd.shop+json', ''])(
  'a body of JSON may be declared as "%s"',
  async (type) => {
    const answer = await fetch(`${server.url}/orders`, {
      method: 'POST',
      headers: { authorization: demo, ...(type !== '' && { 'content-type': type }) },
      body: Buffer.from(JSON.stringify(orderBody({}, server.url))),
    })
    expect(answer.status).toBe(204)
  },
)

it('a challenge says that credentials are UTF-8, and a connection is kept longer than proxies keep it', async () => {
  for (const path of ['/merchants/credentials', '/console']) {
    const { headers } = await call('GET', path)
    expect(headers.get('www-authenticate')).toMatch(/^Basic realm="\w+", charset="UTF-8"$/)
    expect(headers.get('keep-alive')).toBe('timeout=65')
  }
})
