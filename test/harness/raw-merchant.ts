// A merchant for tests that responds byte by byte as a test requires, however wrong, one that
// speaks TLS, and a gateway that calls them.
import { once } from 'node:events'
import { createServer as createSecureServer, type ServerOptions } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import {
  addressGuard,
  type ClosableMerchantGateway,
  type LookupAll,
  type MerchantGatewayOptions,
  merchantGateway,
  type ThreadedGatewayOptions,
} from '@plazo/adapters/internal/http'
import { wireNames } from '@plazo/core'
import type { MerchantGateway } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { onTestFinished } from 'vitest'
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts'
import { endOfMessage } from './raw-http.ts'

export const SECRET = '0123456789abcdef0123456789abcdef'

/** Called once for each complete request, with its number on this connection. */
export type Reply = (socket: Socket, number: number) => void

export const replies =
  (...parts: readonly (string | Uint8Array)[]): Reply =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

export const HEAD = 'HTTP/1.1 200 OK\r\n'
const ENDLESS = 'x'.repeat(16 * 1024)

/** Sends nothing and keeps the connection open. */
export const hangs: Reply = () => {}

/** Resets the connection 50 ms after this text. */
export const reset =
  (text: string): Reply =>
  (socket) =>
    socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 50))

/** Ends the connection after this text. */
export const ends =
  (text: string): Reply =>
  (socket) =>
    socket.end(text)

/** Sends `start`, then `drop` again and again. */
export const drips =
  (start: string, drop: string): Reply =>
  (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(drop), 5)
    socket.on('close', () => clearInterval(timer))
  }

/** Sends `start`, then as much as the client reads. */
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

/** `connected` is called before anything is read. */
export const rawMerchant = async (reply: Reply, connected: (socket: Socket) => void = () => {}) => {
  let [bytes, connections] = [0, 0]
  /** Every complete request, as it arrived. */
  const requests: string[] = []
  const server = createServer((socket) => {
    connections++
    let [read, number] = ['', 0]
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      bytes += chunk.length
      read += chunk.toString('latin1')
      if (endOfMessage(read) < 0) return
      requests.push(Buffer.from(read, 'latin1').toString())
      read = ''
      number++
      reply(socket, number)
    })
    connected(socket)
  })
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}/events`
  return { port, url, requests, bytes: () => bytes, connections: () => connections }
}

/** Listens on the loopback address until the test ends. Returns the port. */
const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Options for a gateway in a thread, unless a test gives others. */
export const AS_IN_SANDBOX: ThreadedGatewayOptions = {
  names: wireNames('Service', 'sq_state'),
  secretsOf: () => TE.right([SECRET]),
  realNow: () => 1_700_000_000_999,
  guard: { allowsLocal: true, allow: [] },
}

/**
 * A gateway as in the sandbox, except for the given options. Create it after its merchants, so that
 * it is closed first: an open connection keeps a merchant open.
 */
export const aGateway = (
  overrides: Partial<MerchantGatewayOptions> = {},
): ClosableMerchantGateway => {
  const guard = addressGuard(AS_IN_SANDBOX.guard)
  const gateway = merchantGateway({ ...AS_IN_SANDBOX, guard, ...overrides })
  onTestFinished(() => gateway.close())
  return gateway
}

/**
 * Returns one list of addresses after another, then the last one for ever, and counts the lookups.
 */
export const resolver = (...lists: readonly (readonly string[])[]) => {
  let lookups = 0
  const lookup: LookupAll = (_hostname, _options, callback) => {
    const addresses = lists[Math.min(lookups, lists.length - 1)] ?? []
    lookups++
    setImmediate(
      callback,
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { lookup, lookups: () => lookups }
}

/**
 * Guards addresses as in production, and also allows the merchant's own ports. It accepts http, so
 * that a bare socket can listen.
 */
export const strictGuard = (...ports: readonly number[]): MerchantGatewayOptions['guard'] => {
  const allow = ports.map((port) => ({ cidr: '127.0.0.1/32', port }))
  const { isAllowed } = addressGuard({ allow })
  return { isAllowed, checkUrl: () => null }
}

type PostRequest = Parameters<MerchantGateway['post']>[0]

export const postOf = (
  overrides: Partial<PostRequest> & { readonly url: string },
): PostRequest => ({
  id: 'order:1:notice',
  merchantRef: 'demo',
  contentType: 'application/x-www-form-urlencoded',
  body: 'charset=UTF-8&utf8=%E2%88%9A&event=denied',
  readsBody: false,
  ...overrides,
})

// What was sent is different in every request.
const withoutSent = <A extends { readonly sent?: unknown }>({ sent: _, ...answer }: A) => answer

/** Posts to a merchant, and resolves to the result. */
export const postTo = async (
  { url }: { readonly url: string },
  gateway: MerchantGateway = aGateway(),
  overrides: Partial<PostRequest> = {},
) => {
  const answer = await gateway.post(postOf({ url, ...overrides }))()
  return E.isLeft(answer) ? E.left(withoutSent(answer.left)) : E.right(withoutSent(answer.right))
}

/** Has the certificate of `loopback-certificate.ts`, unless a test gives another. */
export const secureMerchant = async (overrides: Partial<TlsOptions> = {}) => {
  let requests = 0
  const options: ServerOptions = { ...LOOPBACK_CERTIFICATE, ...overrides, keepAliveTimeout: 60_000 }
  const server = createSecureServer(options, (request, response) => {
    request.resume()
    requests++
    response.end('{}')
  })
  const port = await listen(server)
  return { port, url: `https://localhost:${port}/`, requests: () => requests }
}
