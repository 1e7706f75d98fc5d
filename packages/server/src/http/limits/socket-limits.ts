// Limits how long a connection may take, how many there may be, and how many requests may wait on one. Without it, slow or
// numerous clients would hold up the others, or use up the memory.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../../log/log.ts'
import { endWithProblem } from '../malformed-request.ts'

/** Milliseconds, bytes and counts. */
export const SOCKET_LIMITS = {
  /** From the first byte, or from connecting, to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body. */
  requestTimeout: 30_000,
  /** Between two requests. It is longer than common proxies keep a connection, so that the proxies end it. */
  keepAliveTimeout: 65_000,
  /** Without a byte in either direction; a call to a merchant takes up to 30 s. */
  idleTimeout: 65_000,
  /** How often the first two limits are checked. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 10_000,
  /** Requests sent on one connection before the first is answered. */
  maxPipelined: 64,
}

export type SocketLimits = Readonly<typeof SOCKET_LIMITS>

const LOG_INTERVAL = 60_000

export const limitConnections = (server: Server, { maxConnections, idleTimeout }: SocketLimits, log: Log): void => {
  server.maxConnections = maxConnections
  server.setTimeout(idleTimeout)
  let dropped = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    dropped += 1
    if (performance.now() - loggedAt < LOG_INTERVAL) return
    loggedAt = performance.now()
    log('crowded', { count: dropped })
    dropped = 0
  })
}

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

type Connection = {
  /** True: a request has been handed on, and its answer is not completely written yet. */
  isServing: boolean
  /** Requests that came while another was served, oldest first. Nothing is read from the socket while there are any. */
  readonly waiting: Exchange[]
}

/**
 * Serves the requests of one connection one after another. If all requests that a client sends ahead were begun at once, their
 * answers would pile up in memory.
 *
 * Hands a request on once the answer before it is with the operating system, which takes only what its client reads.
 * Further requests on the connection wait, and the socket is not read meanwhile: at most one chunk of requests is parsed ahead.
 * A request that was parsed behind another means that the other's body is complete, so pausing keeps no body back.
 *
 * Requests beyond `maxPipelined` on one connection are answered 503, at no cost, and end it.
 */
export const serializeRequests = (
  { maxPipelined }: Pick<SocketLimits, 'maxPipelined'>,
  listener: RequestListener,
): RequestListener => {
  const connections = new WeakMap<Socket, Connection>()

  const findConnection = (socket: Socket): Connection => {
    const existing = connections.get(socket)
    if (existing !== undefined) return existing
    const connection: Connection = { isServing: false, waiting: [] }
    connections.set(socket, connection)
    // Node resumes the socket by itself, when an answer has drained or a body is read.
    socket.on('resume', () => {
      if (connection.waiting.length > 0) socket.pause()
    })
    // When a connection closes, Node does not notify answers that have not begun.
    socket.once('close', () => connection.waiting.splice(0))
    return connection
  }

  const serveRequest = (socket: Socket, connection: Connection, [request, response]: Exchange): void => {
    connection.isServing = true
    response.once('close', () => {
      connection.isServing = false
      const next = connection.waiting.shift()
      if (next === undefined) return
      // The body of the last one may still have to arrive.
      if (connection.waiting.length === 0) socket.resume()
      serveRequest(socket, connection, next)
    })
    listener(request, response)
  }

  const refuse = (response: ServerResponse): void => {
    const detail = `Too many requests on this connection: ${maxPipelined} are unanswered.`
    endWithProblem(response, 503, detail, { 'retry-after': '1' })
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request
    const connection = findConnection(socket)
    if (!connection.isServing) serveRequest(socket, connection, [request, response])
    else if (connection.waiting.length + 1 >= maxPipelined) refuse(response)
    else {
      connection.waiting.push([request, response])
      socket.pause()
    }
  }
}
