// Sends what no HTTP client sends, on raw sockets to a real server process. It must answer, close
// the connection cleanly, and stay alive.
import { connect } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { rawClient } from '../../harness/raw-http.ts'
import { startServer } from '../../harness/running-server.ts'
import { basic, DEMO, orderBody, shopAt } from '../../harness/shop.ts'

const HOST = 'Host: localhost\r\n'
const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded\r\n'
const OWN = `${HOST}Authorization: ${basic(DEMO.username, DEMO.password)}\r\n${JSON_TYPE}`
const NO_ORDER = 'ffffffff-ffff-4fff-bfff-ffffffffffff'
const MIB = 1024 * 1024

const request = (line: string, headers: string, body = ''): string =>
  `${line} HTTP/1.1\r\n${headers}\r\n${body}`
const postHead = (body: string): string => `${OWN}Content-Length: ${Buffer.byteLength(body)}\r\n`

describe('a real server', async () => {
  const server = await startServer()
  const say = rawClient(server.url)
  const shop = shopAt(server.url)
  const orderRef = await shop.place({ merchant: { notify_url: null, events_webhook: null } })
  afterAll(async () => {
    expect(await server.stop()).toBe(0)
  })

  /** Sends a text, reads nothing, and resets the connection. */
  const breakOff = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(server.url).port), 'localhost', () => {
        socket.write(text, () =>
          setTimeout(() => {
            socket.resetAndDestroy()
            resolve()
          }, 20),
        )
      })
    })

  it.for<readonly [name: string, text: string, status: number]>([
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
    ['a path of 20 KiB', request(`GET /${'a'.repeat(20_000)}`, HOST), 431],
    [
      'a Content-Length with chunks',
      request(
        'POST /orders',
        `${OWN}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n`,
        '0\r\n\r\n',
      ),
      400,
    ],
    ['an invalid Host', request('GET /healthz', `Host: ../../x\r\n${CLOSE}`), 400],
    ['an invalid target', request('OPTIONS *', HOST + CLOSE), 400],
    ['a backslash in the target', request('GET /orders\\..\\healthz', HOST + CLOSE), 400],
    ['an unknown expectation', request('GET /healthz', `${HOST}Expect: magic\r\n${CLOSE}`), 417],
  ])('refuses %s and ends the connection', async ([, text, status]) => {
    const received = await say([text])
    expect([received.statuses, received.end]).toEqual([[status], 'closed'])
  })

  it('is no proxy: CONNECT ends the connection', async () => {
    const received = await say(['CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n'])
    expect([received.statuses, received.end]).toEqual([[], 'closed'])
  })

  it('answers TRACE with a problem', async () => {
    const received = await say([request('TRACE /healthz', HOST + CLOSE)])
    expect([received.statuses, received.end]).toEqual([[405], 'closed'])
    expect(received.text).toContain('application/problem+json')
  })

  it('answers pipelined requests in order, including one that is refused with its body unread', async () => {
    const received = await say([
      request('GET /healthz', HOST) +
        request('POST /orders', `${HOST}${JSON_TYPE}Content-Length: 12\r\n`, '{"order":{}}') +
        request('GET /nothing', HOST) +
        request('GET /readyz', HOST + CLOSE),
    ])
    expect([received.statuses, received.end]).toEqual([[200, 401, 404, 200], 'closed'])
  })

  it('does not read a body as the next request', async () => {
    const smuggled = request('GET /sandbox/clock', HOST)
    const received = await say([
      request('POST /orders', postHead(smuggled), smuggled) + request('GET /healthz', HOST + CLOSE),
    ])
    expect([received.statuses, received.end]).toEqual([[400, 200], 'closed'])
  })

  it.for<readonly [name: string, pieces: readonly string[]]>([
    [
      'all of it sent',
      [request('POST /orders', `${OWN}Content-Length: ${2 * MIB}\r\n`), 'x'.repeat(2 * MIB)],
    ],
    ['none of it sent', [request('POST /orders', `${OWN}Content-Length: ${2 * MIB}\r\n`)]],
    [
      'to a form',
      [
        request(
          `POST /sandbox/verify/${NO_ORDER}/x`,
          `${HOST}${FORM_TYPE}Content-Length: 70000\r\n`,
        ),
        'a'.repeat(70_000),
      ],
    ],
  ])(
    'answers 413 to a body that is too large, %s, and the client can read it',
    async ([, pieces]) => {
      const received = await say(pieces, { answers: 1 })
      expect(received.statuses).toEqual([413])
      expect(received.text).toContain('"title":"Content Too Large"')
      expect(received.end).not.toBe('reset')
    },
  )

  it('survives clients that reset their connections, and logs no error for them', async () => {
    const body = JSON.stringify(orderBody())
    const half = body.slice(0, body.length / 2)
    await Promise.all(
      [
        request('POST /orders', postHead(body), half),
        request(`PUT /orders/${orderRef}`, postHead(body), half),
        request('POST /sandbox/clock/advance', `${OWN}Transfer-Encoding: chunked\r\n`, '5\r\n{"se'),
      ].map(breakOff),
    )
    expect(await say([request('GET /readyz', HOST + CLOSE)])).toMatchObject({ statuses: [200] })
    expect(server.output()).not.toContain('"level":50')
  })
})
