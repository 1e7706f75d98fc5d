// Slow clients, many clients and endless requests, on raw sockets to a server with short limits.
import { connect, type Socket } from 'node:net'
import { openLog, serve } from '@plazo/server'
import { afterAll, describe, expect, it } from 'vitest'
import { composeInMode, configFrom } from '../harness/config.ts'

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

describe('connections', () => {
  it('beyond the limit are refused until there is room, and the log reports it once', async () => {
    const clients: Client[] = []
    // True if it is answered, false if it is closed instead.
    const isLetIn = async (each: Client): Promise<boolean> => {
      each.socket.write(`${HEALTHZ}\r\n`)
      const answered = new Promise((resolve) => each.socket.once('data', resolve))
      await Promise.race([answered, each.ended])
      return each.text() !== ''
    }
    const next = async (): Promise<boolean> => {
      const each = client()
      clients.push(each)
      return isLetIn(each)
    }
    while (await next()) expect(clients.length).toBeLessThanOrEqual(LIMITS.maxConnections)
    const beyond = [client(), client(), client()]
    await Promise.all(beyond.map(({ ended }) => ended))
    for (const each of beyond) expect(each.text()).toBe('')
    await Promise.all(clients.map(({ ended }) => ended))
    for (const { socket } of [...clients, ...beyond]) socket.destroy()
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
