// Runs plazo on a socket: it listens, composes with the address it got, and drains when told to
// stop. Contract §7.
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type ComposeOptions, compose, type Plazo } from './boot/compose.ts'
import { baseUrlOf, type Config } from './boot/config.ts'
import { listenError } from './boot/startup-errors.ts'
import { HEALTH_PATHS, healthRoutes } from './health/routes.ts'
import { drainServer } from './http/limits/drain-server.ts'
import {
  answerInvalidUrl,
  guardConnections,
  SOCKET_LIMITS,
  type SocketLimits,
  serializeRequests,
} from './http/limits/socket-limits.ts'
import { type Log, openLog } from './log/log.ts'

export type RunningServer = {
  readonly baseUrl: string
  /**
   * Is not ready any more, and each answer ends its connection. Finishes the requests in flight, at
   * most 30 s, and closes everything.
   *
   * @param listensForMillis how long it accepts connections meanwhile. Default: not at all. See
   *   `LISTENER_STAYS_OPEN`.
   */
  readonly stop: (listensForMillis?: number) => Promise<void>
}

const listen = (server: Server, config: Config): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(listenError(config, cause)))
    server.listen(config.port, config.host, () => resolve((server.address() as AddressInfo).port))
  })

const STARTING_APP = healthRoutes({
  readiness: { takesWrites: async () => false, isDispatching: () => true },
})

const isHealthCheck = ({ method, url }: Request): boolean =>
  (method === 'GET' || method === 'HEAD') && HEALTH_PATHS.has(new URL(url).pathname)

/**
 * Rejects if it cannot listen or open its database. Logs to standard output unless told otherwise.
 */
export const serve = async (
  config: Config,
  log: Log = openLog(config.logLevel),
  options: Omit<ComposeOptions, 'baseUrl' | 'log'> = {},
  limits: SocketLimits = SOCKET_LIMITS,
): Promise<RunningServer> => {
  let plazo: Promise<Plazo> | null = null
  let isComposed = false
  // Requests that come before everything is composed wait for it, except health checks.
  const listener = getRequestListener(
    async (request, bindings) => {
      if (!isComposed && isHealthCheck(request)) return STARTING_APP.fetch(request)
      return (await (plazo as Promise<Plazo>)).app.fetch(request, bindings)
    },
    // An HTTP/1.0 client may name no host.
    { hostname: 'localhost', errorHandler: answerInvalidUrl },
  )
  const { onRequest, endConnections } = serializeRequests(
    limits,
    batchRequests(listener, ({ url = '' }) => HEALTH_PATHS.has(url)),
  )
  const server = createServer(limits, onRequest)
  guardConnections(server, limits, log)
  const draining = drainServer(server)
  const port = await listen(server, config)
  const baseUrl = baseUrlOf(config, port)
  plazo = compose(config, { ...options, baseUrl, log })
  try {
    await plazo
  } catch (cause) {
    server.close()
    throw cause
  }
  const running = await plazo
  isComposed = true
  return {
    baseUrl,
    stop: (listensForMillis = 0) => {
      endConnections()
      const hold = (until: Promise<void>): void => {
        plazo = until.then(() => running)
      }
      // Requests that came before are answered while the database is still open.
      return running.stop(draining.close(listensForMillis, hold))
    },
  }
}

/**
 * Requests handled in one turn of the event loop. If more come together, other work gets a turn in
 * between.
 */
const BATCH_SIZE = 32

/**
 * Reads all requests that come together before it handles the first of them. Reading and handling
 * each need more code than a processor's caches hold: request by request, the caches would have to
 * load both again each time. Without it, an order that is placed costs up to half more of the event
 * loop's time.
 *
 * `isUrgent`: handled immediately, before all that wait, like a supervisor's check that the process
 * is alive.
 */
export const batchRequests = (
  handle: RequestListener,
  isUrgent: (request: IncomingMessage) => boolean = () => false,
): RequestListener => {
  let waiting: Parameters<RequestListener>[] = []

  const handleAll = (): void => {
    const some = waiting.slice(0, BATCH_SIZE)
    waiting = waiting.slice(BATCH_SIZE)
    if (waiting.length > 0) setImmediate(handleAll)
    for (const [request, response] of some) handle(request, response)
  }

  return (request, response) => {
    if (isUrgent(request)) return handle(request, response)
    if (waiting.length === 0) setImmediate(handleAll)
    waiting.push([request, response])
  }
}
