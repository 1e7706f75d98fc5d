// A merchant for tests who answers byte by byte as a test wants, however wrong, and a gateway that calls him.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import {
  type AddressGuard,
  addressGuard,
  type ClosableMerchantGateway,
  type LookupAll,
  type MerchantGatewayOptions,
  merchantGateway,
  type ThreadedGatewayOptions,
} from '@plazo/adapters/http'
import { type MerchantGateway, wireNames } from '@plazo/core'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach } from 'vitest'

export const SECRET = '0123456789abcdef0123456789abcdef'

type RawMerchant = {
  readonly port: number
  readonly url: string
  /** Every whole request, as it came. */
  readonly requests: string[]
  /** How many bytes came, over all connections. */
  readonly bytes: () => number
  readonly connections: () => number
}

/** Called once for each whole request, with its number on this connection. */
export type Reply = (socket: Socket, number: number) => void

export const replies =
  (...parts: readonly (string | Uint8Array)[]): Reply =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

export const HEAD = 'HTTP/1.1 200 OK\r\n'
const ENDLESS = 'x'.repeat(16 * 1024)

/** Says nothing, and keeps the connection. */
export const hangs: Reply = () => {}

/** The connection is reset a moment after this text. */
export const reset =
  (text: string): Reply =>
  (socket) =>
    socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50))

/** The connection ends after this text. */
export const ends =
  (text: string): Reply =>
  (socket) =>
    socket.end(text)

/** After the start one drop, again and again. */
export const drips =
  (start: string, drop: string): Reply =>
  (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(drop), 5)
    socket.on('close', () => clearInterval(timer))
  }

/** After the start as much as is read. */
export const floods =
  (start: string, flooding = ENDLESS): Reply =>
  (socket) => {
    socket.write(start)
    const flood = () => {
      while (socket.write(flooding));
    }
    socket.on('drain', flood)
    flood()
  }

type Closing = () => Promise<unknown>
const closings: Closing[] = []

/** Done after each test, the last first. */
export const afterTest = (closing: Closing): void => {
  closings.push(closing)
}

// A gateway that left a connection open would keep its merchant's server, and so the test, from ending.
afterEach(async () => {
  for (const closing of closings.splice(0).reverse()) await closing()
})

/** `connected` is called before anything was read. */
export const rawMerchant = async (reply: Reply, connected: (socket: Socket) => void = () => {}) => {
  let [bytes, connections] = [0, 0]
  const requests: string[] = []
  const server = createServer((socket) => {
    connections++
    let [read, number] = ['', 0]
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      bytes += chunk.length
      read += chunk.toString('latin1')
      const head = read.indexOf('\r\n\r\n') + 4
      const length = Number(/^content-length: (\d+)/im.exec(read)?.[1] ?? 0)
      if (head < 4 || read.length < head + length) return
      requests.push(Buffer.from(read, 'latin1').toString())
      read = ''
      number++
      reply(socket, number)
    })
    connected(socket)
  })
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}/events`
  const merchant: RawMerchant = { port, url, requests, bytes: () => bytes, connections: () => connections }
  return merchant
}

/** The port, on the loopback address, until the test ends. */
export const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterTest(() => new Promise((resolve) => server.close(resolve)))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** How a gateway in a thread is made where nothing else is given. */
export const AS_IN_SANDBOX: ThreadedGatewayOptions = {
  names: wireNames('Service', 'sq_state'),
  secretsOf: () => TE.right([SECRET]),
  realNow: () => 1_700_000_000_999,
  guard: { mode: 'sandbox', allow: [] },
}

/** Everything as in the sandbox, but for what is given. Make it after its merchants, so that it is closed first. */
export const aGateway = (given: Partial<MerchantGatewayOptions> = {}): ClosableMerchantGateway => {
  const guard = addressGuard(AS_IN_SANDBOX.guard)
  const gateway = merchantGateway({ ...AS_IN_SANDBOX, guard, ...given })
  afterTest(async () => gateway.close())
  return gateway
}

/** Gives one list of addresses after another, the last one for ever, and counts how often it is asked. */
export const resolver = (...lists: readonly (readonly string[])[]) => {
  let asked = 0
  const lookup: LookupAll = (_hostname, _options, callback) => {
    const addresses = lists[Math.min(asked, lists.length - 1)] ?? []
    asked++
    setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { lookup, asked: () => asked }
}

/** Production's addresses, and the merchant's own as one more; http too, so that a bare socket can listen. */
export const strictGuard = (...ports: readonly number[]): AddressGuard => {
  const allow = ports.map((port) => ({ cidr: '127.0.0.1/32', port }))
  return { ...addressGuard({ mode: 'production', allow }), checkUrl: () => null }
}

type Posted = Parameters<MerchantGateway['post']>[0]

export const posted = (given: Partial<Posted> & { readonly url: string }): Posted => ({
  id: 'order:1:notice',
  merchantRef: 'demo',
  contentType: 'application/x-www-form-urlencoded',
  body: 'charset=UTF-8&utf8=%E2%88%9A&event=denied',
  readsBody: false,
  ...given,
})
