// Serves the requests of one connection one after another. A client may send many without reading an answer. If all of them
// were begun at once, their answers would pile up in memory, and one client could make the process run out of it.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { SocketLimits } from './limits/socket-limits.ts'
import { PROBLEM_JSON, problemText } from './problem.ts'
import { ANSWER_HEADERS } from './security-headers.ts'

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

type Connection = {
  /** True: a request has been handed on, and its answer is not completely written yet. */
  isServing: boolean
  /** Requests that came while another was served, oldest first. Nothing is read from the socket while there are any. */
  readonly waiting: Exchange[]
}

/**
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
    const known = connections.get(socket)
    if (known !== undefined) return known
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
    const headers = { ...ANSWER_HEADERS, 'content-type': PROBLEM_JSON, 'retry-after': '1', connection: 'close' }
    response.writeHead(503, headers)
    response.end(problemText(503, `Too many requests on this connection: ${maxPipelined} are unanswered.`))
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
