// Slow clients, many clients, endless requests, and what no HTTP client sends, on raw sockets to a server
// with short limits. It must answer, close the connection cleanly, and go on.
import { connect, type Socket } from 'node:net'
import { openLog, serve } from '@plazo/server'
import { afterAll, describe, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'
import { basic, DEMO, orderBody } from '../harness/shop.ts'

type Json = Readonly<Record<string, unknown>>

const LIMITS = {
  headersTimeout: 400,
  requestTimeout: 800,
  keepAliveTimeout: 400,
  idleTimeout: 1_500,
  connectionsCheckingInterval: 50,
  maxHeaderSize: 4_096,
  maxConnections: 30,
}

const HOST = 'Host: localhost\r\n'
const HEALTHZ = `GET /healthz HTTP/1.1\r\n${HOST}`
const POSTING = `POST /api/v1/checkout/x/identification HTTP/1.1\r\n${HOST}Content-Type: application/json\r\n`

const CLOSE = 'Connection: close\r\n'
const JSON_TYPE = 'Content-Type: application/json\r\n'
const OWN = `${HOST}Authorization: ${basic(DEMO.username, DEMO.password)}\r\n${JSON_TYPE}`
const MIB = 1024 * 1024

const request = (line: string, headers: string, body = ''): string =>
  `${line} HTTP/1.1\r\n${headers}\r\n${body}`
const postHead = (length: number): string => `${OWN}Content-Length: ${length}\r\n`

const lines: string[] = []
const config = configFrom({ DATABASE_URL: 'sqlite::memory:', PORT: '0' })
const log = openLog('warn', { write: (line) => void lines.push(line) })
const server = await serve(config, log, { compose: composeInMode }, LIMITS)
const port = Number(new URL(server.baseUrl).port)
afterAll(() => server.stop())

type Client = {
  readonly socket: Socket
  readonly text: () => string
  readonly statuses: () => readonly number[]
  /** Resolves when the server has ended its side, or the connection is gone. */
  readonly ended: Promise<void>
}

/** A client that never closes its own side. */
const client = (): Client => {
  const socket = connect({ port, host: 'localhost', allowHalfOpen: true })
  let text = ''
  socket.on('data', (data) => {
    text += data.toString('latin1')
  })
  socket.on('error', () => {})
  return {
    socket,
    text: () => text,
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
    ended: new Promise((resolve) => {
      socket.once('end', resolve)
      socket.once('close', resolve)
    }),
  }
}

/** Sends a byte every few milliseconds, for ever. */
const drip = ({ socket, ended }: Client, begin: string, byte: string): void => {
  socket.write(begin)
  const dripping = setInterval(() => socket.write(byte), 20)
  void ended.then(() => clearInterval(dripping))
}

const isServed = async (): Promise<void> => {
  const answer = await fetch(`http://localhost:${port}/healthz`, {
    headers: { connection: 'close' },
  })
  expect(answer.status).toBe(200)
}

describe('a connection', () => {
  it.each<readonly [name: string, begin: string, byte: string]>([
    ['a request line', 'GET /', 'a'],
    ['header after header', HEALTHZ, 'X-A: b\r\n'],
    ['a body', `${POSTING}Content-Length: 60000\r\n\r\n`, 'a'],
    ['chunk extensions', `${POSTING}Transfer-Encoding: chunked\r\n\r\n1;`, 'a'],
    ['the trailers of a body', `${POSTING}Transfer-Encoding: chunked\r\n\r\n0\r\n`, 'X-A: b\r\n'],
  ])('that sends %s byte by byte without end is answered and closed', async (_, begin, byte) => {
    const slow = client()
    drip(slow, begin, byte)
    await isServed()
    await slow.ended
    expect(slow.statuses()).toHaveLength(1)
    expect([400, 404, 408, 431]).toContain(slow.statuses()[0])
    slow.socket.destroy()
  })

  it('that sends nothing is closed', async () => {
    const silentClient = client()
    await expect(silentClient.ended).resolves.toBeUndefined()
    silentClient.socket.destroy()
  })

  it('that stops in the middle of a body gets an answer, and is closed even if it never closes itself', async () => {
    const slow = client()
    slow.socket.write(`${POSTING}Content-Length: 10\r\n\r\n{`)
    await slow.ended
    // Nobody receives what it still sends.
    const gone = new Promise<void>((resolve) => slow.socket.once('close', () => resolve()))
    const dripping = setInterval(() => slow.socket.write('a'), 50)
    await gone
    clearInterval(dripping)
    expect(slow.text()).toMatch(/^HTTP\/1\.1 (404|408) /)
  })

  it('that sends headers without end is answered 431 and closed', async () => {
    const loud = client()
    loud.socket.write(HEALTHZ)
    loud.socket.write(`X-A: ${'a'.repeat(LIMITS.maxHeaderSize)}\r\n`)
    await loud.ended
    expect(loud.statuses()).toEqual([431])
    loud.socket.destroy()
  })

  it('that sends very many requests at once is closed', async () => {
    const eager = client()
    eager.socket.write(`${HEALTHZ}\r\n`.repeat(1_000))
    await expect(eager.ended).resolves.toBeUndefined()
    eager.socket.destroy()
  })
})

/** Sends a text. Resolves to the client once the server has ended its side. */
const say = async (text: string): Promise<Client> => {
  const saying = client()
  saying.socket.write(text)
  await saying.ended
  saying.socket.destroy()
  return saying
}

describe('a server', () => {
  it.for<readonly [name: string, text: string, status: number]>([
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 400],
    ['a path of 20 KiB', request(`GET /${'a'.repeat(20_000)}`, HOST), 431],
    [
      'a Content-Length with chunks',
      request('POST /orders', `${postHead(2)}Transfer-Encoding: chunked\r\n`, '0\r\n\r\n'),
      400,
    ],
    ['an invalid Host', request('GET /healthz', `Host: ../../x\r\n${CLOSE}`), 400],
    ['an invalid target', request('OPTIONS *', HOST + CLOSE), 400],
    ['a backslash in the target', request('GET /orders\\..\\healthz', HOST + CLOSE), 400],
    ['an unknown expectation', request('GET /healthz', `${HOST}Expect: magic\r\n${CLOSE}`), 417],
  ])('refuses %s and ends the connection', async ([, text, status]) => {
    expect((await say(text)).statuses()).toEqual([status])
  })

  it('is no proxy: CONNECT ends the connection', async () => {
    const said = await say('CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n')
    expect(said.statuses()).toEqual([])
  })

  it('answers TRACE with a problem', async () => {
    const said = await say(request('TRACE /healthz', HOST + CLOSE))
    expect(said.statuses()).toEqual([405])
    expect(said.text()).toContain('application/problem+json')
  })

  it('answers pipelined requests in order, including one that is refused with its body unread', async () => {
    const said = await say(
      request('GET /healthz', HOST) +
        request('POST /orders', `${HOST}${JSON_TYPE}Content-Length: 12\r\n`, '{"order":{}}') +
        request('GET /nothing', HOST) +
        request('GET /readyz', HOST + CLOSE),
    )
    expect(said.statuses()).toEqual([200, 401, 404, 200])
  })

  it('does not read a body as the next request', async () => {
    const smuggled = request('GET /sandbox/clock', HOST)
    const said = await say(
      request('POST /orders', postHead(smuggled.length), smuggled) +
        request('GET /healthz', HOST + CLOSE),
    )
    expect(said.statuses()).toEqual([400, 200])
  })

  it.each([0, 2 * MIB])(
    'answers 413 to a body that is too large, with %i bytes of it sent',
    async (sent) => {
      const said = await say(request('POST /orders', postHead(2 * MIB), 'x'.repeat(sent)))
      expect(said.statuses()).toEqual([413])
      expect(said.text()).toContain('"title":"Content Too Large"')
    },
  )

  it('survives clients that reset their connections', async () => {
    const body = JSON.stringify(orderBody())
    for (const text of [
      request('POST /orders', postHead(body.length), body.slice(9)),
      request('POST /sandbox/clock/advance', `${OWN}Transfer-Encoding: chunked\r\n`, '5\r\n{"se'),
    ]) {
      const { socket } = client()
      await new Promise((resolve) => socket.write(text, resolve))
      socket.resetAndDestroy()
    }
    await isServed()
  })
})

describe('connections', () => {
  it('beyond the limit are refused until there is room, and the log reports it once', async () => {
    const clients = Array.from({ length: LIMITS.maxConnections + 3 }, client)
    for (const { socket } of clients) socket.write(`${HEALTHZ}\r\n`)
    await Promise.all(clients.map(({ ended }) => ended))
    const refused = clients.filter(({ text }) => text() === '')
    expect(refused.length).toBeGreaterThanOrEqual(3)
    expect(refused.length).toBeLessThan(clients.length)
    for (const { socket } of clients) socket.destroy()
    await isServed()
    const crowdedLines = lines
      .map((line) => JSON.parse(line) as Json)
      .filter(({ event }) => event === 'crowded')
    expect(crowdedLines).toHaveLength(1)
  })

  it('have caused no internal errors', () => {
    expect(
      lines.map((line) => (JSON.parse(line) as Json).event).filter((event) => event !== 'crowded'),
    ).toEqual([])
  })
})
