// Promises that slow or numerous clients hold up nobody, and that what is not HTTP is refused in the
// form of the app's own refusals: before the app sees a request, and without a proxy in front.
// Contract §2.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log } from '../../log/log.ts'
import { ANSWER_HEADERS } from '../browser-security.ts'
import { PROBLEM_JSON, problemText } from '../problem.ts'

/** Milliseconds, bytes and counts. */
export const SOCKET_LIMITS = {
  /** From the first byte, or from connecting, to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body. */
  requestTimeout: 30_000,
  /**
   * Between two requests. It is longer than common proxies keep a connection, so that the proxies
   * end it.
   */
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

/** How many connections a server accepts, and how long each may take. Contract §2. */
export type SocketLimits = Readonly<typeof SOCKET_LIMITS>

const LOG_INTERVAL = 60_000

/**
 * Limits the server's connections. Answers requests that Node's parser gives up on, or that Node
 * would answer without a body.
 */
export const guardConnections = (
  server: Server,
  { maxConnections, idleTimeout }: SocketLimits,
  log: Log,
): void => {
  server.maxConnections = maxConnections
  server.setTimeout(idleTimeout)
  let dropped = 0
  let logsAt = 0
  server.on('drop', () => {
    dropped += 1
    if (performance.now() < logsAt) return
    logsAt = performance.now() + LOG_INTERVAL
    log('crowded', { count: dropped })
    dropped = 0
  })
  server.on('connection', lingerOnClose)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const [status, detail] = REFUSALS[error.code ?? ''] ?? [400, 'The request is not valid HTTP.']
    refuse(socket, status, detail)
  })
  server.on('connect', (_request, socket) => refuse(socket, 400, 'This server is not a proxy.'))
  server.on('checkExpectation', (_request, response) => {
    endWithProblem(response, 417, 'The only supported expectation is 100-continue.')
  })
}

const REFUSALS: { readonly [code: string]: readonly [status: number, detail: string] } = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and the headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

const HEADERS = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

const LINGER = 1_000

// A client that does not close its side holds the socket no longer than that.
const destroyLater = (socket: Duplex): void => {
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}

type AnsweredSocket = Duplex & { readonly _httpMessage?: ServerResponse | null }

const refuse = (socket: AnsweredSocket, status: number, detail: string): void => {
  // Our answer must not be mixed into one that is already being sent.
  if (!socket.writable || socket._httpMessage?.headersSent) {
    socket.destroy()
    return
  }
  const body = problemText(status, detail)
  destroyLater(socket)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${HEADERS}Content-Type: ${PROBLEM_JSON}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Answers a request that the app does not see, and ends its connection. */
export const endWithProblem = (
  response: ServerResponse,
  status: number,
  detail: string,
  headers = {},
): void => {
  response.writeHead(status, {
    ...ANSWER_HEADERS,
    'content-type': PROBLEM_JSON,
    connection: 'close',
    ...headers,
  })
  response.end(problemText(status, detail))
}

/**
 * For the adapter between Node and the app: answers a request whose target and Host make no URL.
 */
export const answerInvalidUrl = (cause: unknown): Response => {
  const [status, detail] =
    cause instanceof Error && cause.name === 'RequestError'
      ? [400, 'The request target and the Host header do not form a URL.']
      : [500, 'Internal error.']
  return new Response(problemText(status, detail), {
    status,
    headers: { ...ANSWER_HEADERS, 'content-type': PROBLEM_JSON },
  })
}

// Closing a socket with unread bytes resets the connection, and its client may lose the answer.
// This happens with a body that is too large and still being sent. So the socket is ended, and
// incoming bytes are dropped for a moment.
const lingerOnClose = (socket: Socket): void => {
  socket.destroySoon = () => {
    destroyLater(socket)
    socket.end()
    socket.resume()
  }
}
