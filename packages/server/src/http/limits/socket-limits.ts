// Limits how long a connection may take and how many there may be, so that slow or numerous clients do not hold up the others.
import type { Server } from 'node:http'
import type { Log } from '../../log/log.ts'

/** Milliseconds, bytes and counts. */
export type SocketLimits = {
  /** From the first byte, or from connecting, to the end of the headers. */
  readonly headersTimeout: number
  /** To the end of the body. */
  readonly requestTimeout: number
  /** Between two requests. It is longer than common proxies keep a connection, so that the proxies end it. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction; a call to a merchant takes up to 30 s. */
  readonly idleTimeout: number
  /** How often the first two limits are checked. */
  readonly connectionsCheckingInterval: number
  readonly maxHeaderSize: number
  readonly maxConnections: number
  /** Requests sent on one connection before the first is answered. */
  readonly maxPipelined: number
}

export const SOCKET_LIMITS: SocketLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16 * 1024,
  maxConnections: 10_000,
  maxPipelined: 64,
}

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
