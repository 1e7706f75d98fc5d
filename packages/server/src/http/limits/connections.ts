// Promises that clients that read no answer use up no memory, and that no client loses a request when
// the server stops. Both need to know what each connection is waiting for. Contract §7.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises'
import { endWithProblem, type SocketLimits } from './socket-limits.ts'

/**
 * Milliseconds from the signal until the listener closes. A load balancer that asks each second
 * learns of it meanwhile.
 */
export const LISTENER_STAYS_OPEN = 2_000

const INTERVAL = 50
// Intervals without a new connection: longer than a client takes to connect again. On a busy
// machine time passes without a turn of the event loop, so turns count.
const QUIET_INTERVALS = 10
const HOLDING_INTERVALS_MAX = 60
// A connection that was just accepted may have a request that was not read yet.
const SILENCE = 1_000

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

type Connection = {
  /** Real milliseconds on the monotonic clock. */
  readonly openedAt: number
  /** The requests that are not completely answered, oldest first. The first one is served. */
  readonly requests: Exchange[]
}

/**
 * Serves the requests of one connection one after another. If all requests that a client sends
 * ahead were begun at once, their answers would pile up in memory. Call it before the server
 * listens.
 *
 * Hands a request on once the answer before it is with the operating system, which takes only what
 * its client reads. Further requests on the connection wait, and the socket is not read meanwhile:
 * at most one chunk of requests is parsed ahead. A request that was parsed behind another means
 * that the other's body is complete, so pausing keeps no body back.
 *
 * Requests beyond `maxPipelined` on one connection are answered 503, at no cost, and end it. A
 * request behind an answer that ends its connection is not begun: its client could not learn
 * whether it was done.
 */
export const serveConnections = (
  server: Server,
  { maxPipelined }: Pick<SocketLimits, 'maxPipelined'>,
  listener: RequestListener,
) => {
  const connections = new Map<Socket, Connection>()
  let count = 0
  let isEnding = false

  server.on('connection', (socket: Socket) => {
    const requests: Exchange[] = []
    connections.set(socket, { openedAt: performance.now(), requests })
    count += 1
    // Node resumes the socket by itself, when an answer has drained or a body is read.
    socket.on('resume', () => {
      if (requests.length > 1) socket.pause()
    })
    // When a connection closes, Node does not notify answers that have not begun.
    socket.once('close', () => {
      requests.length = 0
      connections.delete(socket)
    })
  })

  const serveFirst = (socket: Socket, requests: Exchange[]): void => {
    const [first] = requests
    if (first === undefined) return
    const [request, response] = first
    if (isEnding) response.shouldKeepAlive = false
    response.once('close', () => {
      requests.shift()
      if (socket.writableEnded) requests.length = 0
      // The body of the last one may still have to arrive.
      if (requests.length === 1) socket.resume()
      serveFirst(socket, requests)
    })
    listener(request, response)
  }

  server.on('request', (request, response) => {
    const { socket } = request
    const requests = connections.get(socket)?.requests
    if (requests === undefined || socket.writableEnded) return
    if (requests.length >= maxPipelined) {
      const detail = `Too many requests on this connection: ${maxPipelined} are unanswered.`
      return endWithProblem(response, 503, detail, { 'retry-after': '1' })
    }
    requests.push([request, response])
    if (requests.length > 1) socket.pause()
    else serveFirst(socket, requests)
  })

  // Node counts a connection that has sent nothing yet as busy.
  const closeUnused = (): void => {
    server.closeIdleConnections()
    const latest = performance.now() - SILENCE
    for (const [socket, { openedAt }] of connections)
      if (socket.bytesRead === 0 && openedAt < latest) socket.destroy()
  }

  const waitUntilNobodyConnects = async (): Promise<void> => {
    let quiet = 0
    for (let turns = 0; quiet < QUIET_INTERVALS && turns < HOLDING_INTERVALS_MAX; turns++) {
      const before = count
      await pause(INTERVAL)
      quiet = count === before ? quiet + 1 : 0
    }
  }

  return {
    /**
     * Each answer that has not begun yet, and all later ones, end their connection. Listens on for
     * the given time, then closes the listener, and resolves once all connections have ended.
     *
     * Closing a listener resets the connections that it has not accepted yet. Clients that were
     * just answered are connecting again. So requests are held for a moment, until all these
     * clients wait for an answer and nobody connects.
     *
     * @param hold begins no request that comes from now on until the promise resolves
     */
    drain: async (
      listensForMillis: number,
      hold: (until: Promise<void>) => void,
    ): Promise<void> => {
      isEnding = true
      for (const { requests } of connections.values())
        if (requests[0] !== undefined) requests[0][1].shouldKeepAlive = false
      const isClosed = Promise.withResolvers<void>()
      if (listensForMillis > 0) {
        await pause(listensForMillis)
        hold(isClosed.promise)
        await waitUntilNobodyConnects()
        // After this turn's reads, so that what has arrived is accepted.
        await endOfTurn()
      }
      const closing = setInterval(closeUnused, INTERVAL)
      const haveEnded = new Promise((resolve) => server.close(resolve))
      isClosed.resolve()
      closeUnused()
      await haveEnded
      clearInterval(closing)
    },
  }
}
