// Promises that clients that read no answer use up no memory, and that no client loses a request when
// the server stops. Node's own limits end what is slow or silent. Contract §7.
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises'

/** How many connections a server accepts, and how long each may take. Milliseconds, bytes, counts. */
export type SocketLimits = Readonly<typeof SOCKET_LIMITS>

export const SOCKET_LIMITS = {
  /** From the first byte, or from connecting, to the end of the headers. */
  headersTimeout: 10_000,
  /** To the end of the body. */
  requestTimeout: 30_000,
  /** Between two requests. Longer than common proxies wait, so that the proxies end connections. */
  keepAliveTimeout: 65_000,
  /** Without a byte in either direction; a call to a merchant takes up to 30 s. */
  idleTimeout: 65_000,
  /** How often the first two limits are checked. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 10_000,
}

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

// Requests that are not answered yet. No proxy sends one ahead of an answer.
const UNANSWERED_MAX = 64

type Exchange = readonly [request: IncomingMessage, response: ServerResponse]

/** `openedAt`: real milliseconds on the monotonic clock. `unanswered`: oldest first. */
type Connection = { readonly openedAt: number; readonly unanswered: Exchange[] }

/**
 * Serves the requests of one connection one after another: the next one begins when the answer
 * before it is with the operating system, which takes only what its client reads. Otherwise the
 * answers to requests that were sent ahead would pile up in memory. Call it before the server
 * listens.
 */
export const serveConnections = (server: Server, listener: RequestListener) => {
  const connections = new Map<Socket, Connection>()
  let count = 0
  let isEnding = false

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { openedAt: performance.now(), unanswered: [] })
    count += 1
    socket.once('close', () => connections.delete(socket))
  })

  const serveFirst = (socket: Socket, unanswered: Exchange[]): void => {
    const [first] = unanswered
    // The client of a connection that ends could not learn whether its next request was done.
    if (first === undefined || !socket.writable) return
    const [request, response] = first
    if (isEnding) response.shouldKeepAlive = false
    response.once('close', () => {
      unanswered.shift()
      serveFirst(socket, unanswered)
    })
    listener(request, response)
  }

  server.on('request', (request, response) => {
    const { socket } = request
    const unanswered = connections.get(socket)?.unanswered
    if (unanswered === undefined) return
    unanswered.push([request, response])
    if (unanswered.length === 1) serveFirst(socket, unanswered)
    else if (unanswered.length > UNANSWERED_MAX) socket.destroy()
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
      for (const { unanswered } of connections.values())
        if (unanswered[0] !== undefined) unanswered[0][1].shouldKeepAlive = false
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
