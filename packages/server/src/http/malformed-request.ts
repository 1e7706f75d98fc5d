// Bytes that are not HTTP, and requests that are meant for a proxy, never reach the app. They are refused here in the form of
// the app's own refusals. Contract §2.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ANSWER_HEADERS } from './browser-security.ts'
import { PROBLEM_JSON, problemText } from './problem.ts'

const REFUSALS: { readonly [code: string]: readonly [status: number, detail: string] } = {
  HPE_HEADER_OVERFLOW: [431, 'The request line and the headers are larger than 16 KiB.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
}

const HEADERS = Object.entries(ANSWER_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

// Our answer must not be mixed into one that is already being sent.
const isAnswering = (socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean =>
  socket._httpMessage?.headersSent === true

const LINGER = 1_000

const refuse = (socket: Duplex, status: number, detail: string): void => {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const body = problemText(status, detail)
  // A client that does not close its side holds the socket no longer than that.
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n${HEADERS}Content-Type: ${PROBLEM_JSON}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

/** Answers a request that the app does not see, and ends its connection. */
export const endWithProblem = (response: ServerResponse, status: number, detail: string, headers = {}): void => {
  response.writeHead(status, { ...ANSWER_HEADERS, 'content-type': PROBLEM_JSON, connection: 'close', ...headers })
  response.end(problemText(status, detail))
}

/** For the adapter between Node and the app: answers a request whose target and Host make no URL. */
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

// Closing a socket with unread bytes resets the connection, and its client may lose the answer. This happens with a body that
// is too large and still being sent. So the socket is ended, and incoming bytes are dropped for a moment.
const lingerOnClose = (socket: Socket): void => {
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER)
    socket.once('close', () => clearTimeout(timer))
    socket.end()
    socket.resume()
  }
}

/** Answers requests that Node's parser gives up on, and those that Node would answer without a body. */
export const refuseMalformedRequests = (server: Server): void => {
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
