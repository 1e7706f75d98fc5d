// How long a connection may take and how many there may be, so that nobody who is slow, or many, holds up the others.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from './log/log.ts'
import { PROBLEM_JSON, problemText } from './problem.ts'
import { ANSWER_HEADERS } from './security-headers.ts'

/** Milliseconds, bytes and counts. */
export type SocketLimits = {
  /** From the first byte, or from connecting, to the end of the headers. */
  readonly headersTimeout: number
  /** To the end of the body. */
  readonly requestTimeout: number
  /** Between two requests: longer than common proxies keep a connection, so that it is they who end it. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction; a call to a merchant takes up to 30 s. */
  readonly idleTimeout: number
  /** How often the first two are looked at. */
  readonly connectionsCheckingInterval: number
  readonly maxHeaderSize: number
  readonly maxConnections: number
  /** Sent on one connection before the first is answered. */
  readonly maxPipelined: number
}

export const SOCKET_LIMITS: SocketLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 10_000,
  maxPipelined: 64,
}

const QUIET = 60_000

export const limitConnections = (server: Server, { maxConnections, idleTimeout }: SocketLimits, log: Log): void => {
  server.maxConnections = maxConnections
  server.setTimeout(idleTimeout)
  let dropped = 0
  let toldAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    dropped += 1
    if (performance.now() - toldAt < QUIET) return
    toldAt = performance.now()
    log('crowded', { count: dropped })
    dropped = 0
  })
}

/** Answers what comes beyond so many on one connection with 503, at no cost, and ends it. */
export const limitPipelining = ({ maxPipelined }: SocketLimits, listener: RequestListener): RequestListener => {
  const unanswered = new WeakMap<Socket, number>()

  const refuse = (response: ServerResponse): void => {
    const headers = { ...ANSWER_HEADERS, 'content-type': PROBLEM_JSON, 'retry-after': '1', connection: 'close' }
    response.writeHead(503, headers)
    response.end(problemText(503, `There are ${maxPipelined} unanswered requests on this connection.`))
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const count = (unanswered.get(socket) ?? 0) + 1
    unanswered.set(socket, count)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    if (count > maxPipelined) refuse(response)
    else listener(request, response)
  }
}
