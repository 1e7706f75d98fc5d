// Promises that no client loses a request when the server stops. A load balancer learns first, from
// /readyz and from the answers' `Connection: close`, that it should use another server. Contract
// §7.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as endOfTurn, setTimeout as pause } from 'node:timers/promises'

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

/** Call it before the server listens. */
export const drainServer = (server: Server) => {
  const connectedAt = new Map<Socket, number>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    connectedAt.set(socket, performance.now())
    socket.once('close', () => connectedAt.delete(socket))
  })

  // Node counts a connection that has sent nothing yet as busy.
  const closeUnused = (): void => {
    server.closeIdleConnections()
    const latest = performance.now() - SILENCE
    for (const [socket, at] of connectedAt)
      if (socket.bytesRead === 0 && at < latest) socket.destroy()
  }

  const waitUntilNobodyConnects = async (): Promise<void> => {
    let quiet = 0
    for (let turns = 0; quiet < QUIET_INTERVALS && turns < HOLDING_INTERVALS_MAX; turns++) {
      const before = connections
      await pause(INTERVAL)
      quiet = connections === before ? quiet + 1 : 0
    }
  }

  return {
    /**
     * Listens on for the given time, then closes the listener, and resolves once all connections
     * have ended.
     *
     * Closing a listener resets the connections that it has not accepted yet. Clients that were
     * just answered are connecting again. So requests are held for a moment, until all these
     * clients wait for an answer and nobody connects.
     *
     * @param hold begins no request that comes from now on until the promise resolves
     */
    close: async (
      listensForMillis: number,
      hold: (until: Promise<void>) => void,
    ): Promise<void> => {
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
