// Stops a server in such a way that no client loses a request. A load balancer learns first, from /readyz and from the answers'
// `Connection: close`, that it should use another server. Contract §7.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises'

/** Milliseconds from the signal until the listener closes. A load balancer that asks each second learns of it meanwhile. */
export const LISTENER_STAYS_OPEN = 2_000

// Longer than a client takes to connect again and send its next request, on a busy machine too.
const REQUESTS_ARE_HELD = 500
const CLOSING_INTERVAL = 50

/** Call it before the server listens. */
export const drainServer = (server: Server) => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  // Node counts a connection that has sent nothing yet as busy.
  const closeUnused = (): void => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }

  return {
    /**
     * Listens on for the given time, then closes the listener, and resolves once all connections have ended.
     *
     * Closing a listener resets the connections that it has not accepted yet. Clients that were just answered are connecting
     * again. So requests are held for a moment, until all these clients wait for an answer and nobody connects.
     *
     * @param hold begins no request that comes from now on until the promise resolves
     */
    close: async (listensForMillis: number, hold: (until: Promise<void>) => void): Promise<void> => {
      const isClosed = Promise.withResolvers<void>()
      if (listensForMillis > 0) {
        await pause(listensForMillis)
        hold(isClosed.promise)
        await pause(REQUESTS_ARE_HELD)
        // After this turn's reads, so that what has arrived is accepted.
        await endOfTurn()
      }
      const closing = setInterval(closeUnused, CLOSING_INTERVAL)
      const haveEnded = new Promise((resolve) => server.close(resolve))
      isClosed.resolve()
      closeUnused()
      await haveEnded
      clearInterval(closing)
    },
  }
}
