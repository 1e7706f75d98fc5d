// Runs plazo on a socket: it listens, composes with the address it got, and drains when told to
// stop. Contract §7.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { ALIVE, NO_WRITES } from '../api/health.ts'
import { SOCKET_LIMITS, type SocketLimits, serveConnections } from '../http/limits/connections.ts'
import { problem } from '../http/problem.ts'
import { type Log, openLog } from '../log/log.ts'
import { baseUrlOf, type Config } from '../settings/config.ts'
import { listenError } from '../settings/startup-errors.ts'
import { type ComposeOptions, compose as composePlazo, type Plazo } from './compose.ts'

/** A server that listens. `baseUrl` is its address without a slash at the end. */
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

/** `compose`: composes the server. Default: `compose` of this package. */
type ServeOptions = Omit<ComposeOptions, 'baseUrl' | 'log'> & { readonly compose?: Compose }

/** Composes a server. */
export type Compose = typeof composePlazo

/** Requests wait until everything is composed, except health checks. */
const startingApp = (plazo: Promise<Plazo>): Hono =>
  new Hono()
    .get('/healthz', (c) => c.json(ALIVE))
    .get('/readyz', (c) => problem(c, 503, NO_WRITES, { 'retry-after': '1' }))
    .all('*', async (c) => (await plazo).app.fetch(c.req.raw, c.env))

/**
 * Rejects if it cannot listen or open its database. Logs to standard output unless told otherwise.
 */
export const serve = async (
  config: Config,
  log: Log = openLog(config.logLevel),
  { compose = composePlazo, ...options }: ServeOptions = {},
  limits: SocketLimits = SOCKET_LIMITS,
): Promise<RunningServer> => {
  const server = createServer(limits).setTimeout(limits.idleTimeout)
  server.maxConnections = limits.maxConnections
  let logsDropsAt = 0
  server.on('drop', () => {
    if (performance.now() < logsDropsAt) return
    logsDropsAt = performance.now() + 60_000
    log('crowded', {})
  })
  const port = await listen(server, config)
  const baseUrl = baseUrlOf(config, port)
  const plazo = compose(config, { ...options, baseUrl, log })
  let app: Pick<Hono, 'fetch'> = startingApp(plazo)
  const listener = getRequestListener(
    (request, bindings) => app.fetch(request, bindings),
    // An HTTP/1.0 client may name no host.
    { hostname: 'localhost' },
  )
  // Reads all requests that come together before it handles the first. Reading and handling each need
  // more code than a processor's caches hold.
  const waiting: Parameters<typeof listener>[] = []
  const connections = serveConnections(server, (...exchange) => {
    if (waiting.push(exchange) > 1) return
    setImmediate(() => {
      for (const each of waiting.splice(0)) void listener(...each)
    })
  })
  const running = await plazo.catch((cause: unknown) => {
    server.close()
    throw cause
  })
  app = running.app
  return {
    baseUrl,
    stop: (listensForMillis = 0) => {
      const hold = (until: Promise<void>): void => {
        app = { fetch: (...request) => until.then(() => running.app.fetch(...request)) }
      }
      // Requests that came before are answered while the database is still open.
      return running.stop(connections.drain(listensForMillis, hold))
    },
  }
}
