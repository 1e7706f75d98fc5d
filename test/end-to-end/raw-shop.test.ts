// Requests that clients of real shops send, on raw sockets: old HTTP, odd headers.
// plazo accepts what they mean, but stays strict about money and identity. Contract §3, §5.
import { describe, expect, it } from 'vitest'
import { type RawAnswer, rawClient } from '../harness/raw-http.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'

const { server, shop } = await servedShop()

const AUTHORIZATION = `Authorization: ${basic(DEMO.username, DEMO.password)}`
const send = rawClient(server.url)
const say = (pieces: readonly (string | Buffer)[], answers = 1) =>
  send(pieces, { answers, gap: 20 })

const head = (line: string, ...headers: readonly string[]): string =>
  `${[line, ...headers].join('\r\n')}\r\n\r\n`

const postHead = (body: string | Buffer, ...headers: readonly string[]): string =>
  head(
    'POST /orders HTTP/1.1',
    'Host: localhost',
    AUTHORIZATION,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  )

const JSON_TYPE = 'Content-Type: application/json'
const CLOSE = 'Connection: close'

const order = (extra: Parameters<typeof orderBody>[0] = {}): string =>
  JSON.stringify(orderBody(extra, server.url))

const locationIn = (text: string): string =>
  /^location: \S*\/orders\/(\S+)\r$/im.exec(text)?.[1] ?? ''

/** Checks that the response placed an order for the demo merchant. */
const hasPlaced = async ({ statuses, text }: RawAnswer): Promise<void> => {
  expect(statuses.at(-1)).toBe(204)
  expect(await shop.order(locationIn(text))).toMatchObject({
    merchant: 'demo',
    amount: { value: 12_100 },
  })
}

describe('HTTP/1.0', () => {
  const old = (...headers: readonly string[]): string =>
    head(
      'POST /orders HTTP/1.0',
      AUTHORIZATION,
      JSON_TYPE,
      `Content-Length: ${Buffer.byteLength(order())}`,
      ...headers,
    )

  it('stays open for the next request if the client sends keep-alive', async () => {
    const readHead = (ref: string) =>
      head(`GET /orders/${ref} HTTP/1.0`, AUTHORIZATION, 'Connection: keep-alive')
    const received = await say([readHead(await shop.place()), old() + order()], 2)
    expect(received).toMatchObject({ statuses: [200, 204], end: 'closed' })
    expect(received.text.toLowerCase()).toContain('connection: keep-alive')
    await hasPlaced(received)
  })
})

describe('a request', () => {
  it('may have lower-case header names, any Accept, and an absolute address', async () => {
    const body = order()
    const headers = [
      'host: localhost',
      AUTHORIZATION.replace('Authorization', 'authorization'),
      'accept: */*',
      CLOSE,
    ]
    const size = `content-length: ${Buffer.byteLength(body)}`
    await hasPlaced(
      await say([
        head('POST /orders HTTP/1.1', ...headers, 'content-type: application/json', size) + body,
      ]),
    )
    await hasPlaced(
      await say([head(`POST ${server.url}/orders HTTP/1.1`, ...headers, JSON_TYPE, size) + body]),
    )
  })

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/JSON ; Charset="utf-8"',
    'application/vnd.shop+json',
    '',
  ])('may declare its body as "%s"', async (type) => {
    await hasPlaced(
      await say([
        postHead(order(), ...(type === '' ? [] : [`Content-Type: ${type}`]), CLOSE) + order(),
      ]),
    )
  })

  it('may have an empty merchant header, which is ignored', async () => {
    const path = `/orders/${await shop.place()}`
    const getWithHeader = (header: string) =>
      say([head(`GET ${path} HTTP/1.1`, 'Host: localhost', AUTHORIZATION, header, CLOSE)])
    expect((await getWithHeader('Service-Merchant-Id:')).statuses).toEqual([200])
    expect((await getWithHeader('service-merchant-id: demo')).statuses).toEqual([200])
    expect((await getWithHeader('Service-Merchant-Id: nobody')).statuses).toEqual([403])
  })
})
