// Makes connections, directly or through a proxy, and keeps them open for the next request. If the
// other end closes one just as a request is written, that attempt fails. It is unknown whether the
// request was read, so it is only sent again by its schedule.
import { lookup as systemLookup } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { Agent } from 'node:https'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { urlToHttpOptions } from 'node:url'
import { type AddressGuard, type LookupAll, portOf } from '../guard/ssrf-guard.ts'
import { type OwnedRequest, sendRequest } from './http-request.ts'
import { type OutboundProxy, proxyFor } from './outbound-proxy.ts'
import { explainedFailure, FailureError, toRequestFailure } from './request-failure.ts'
import type { HttpRequest } from './signed-requests.ts'

// Connections are kept for less than the 5 s after which common servers close them, and at most as
// many per host as may be in flight for one merchant. While another address is left, an address
// that does not answer gets 2 s. With Node's 250 ms, distant merchants could not be reached.
const AGENT_OPTIONS = {
  keepAlive: true,
  timeout: 4_000,
  maxFreeSockets: 64,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_000,
}

export type ConnectionsOptions = {
  /** The proxy through which calls go. Default: none. */
  readonly proxy?: OutboundProxy | null | undefined
  /** The number of connections, in use or kept, beyond which none is kept. Default: 4,000. */
  readonly connectionsMax?: number | undefined
  /** Default: the system's. */
  readonly lookup?: LookupAll
  /** Default: any address may be called. */
  readonly guard?: Pick<AddressGuard, 'isAllowed'>
}

/** Makes connections that are kept for the next request. */
export const createConnections = ({
  proxy = null,
  connectionsMax = 4_000,
  lookup = systemLookup,
  guard = { isAllowed: () => true },
}: ConnectionsOptions) => {
  const peers = { lookup, isAllowed: guard.isAllowed }
  const agent = new Agent(AGENT_OPTIONS)
  const secure = agent.createConnection.bind(agent)
  const keep = agent.keepSocketAlive.bind(agent)
  const open = agent as Agent & { readonly totalSocketCount?: number }
  Object.assign(agent, {
    // Agents find kept connections by this name. Merchants may share a host, so the name includes
    // the owner. Bytes that arrive after an answer are taken for the answer to the next request,
    // and must not decide another merchant's order.
    getName: ({ call }: OwnedRequest): string => `${call.owner} ${call.url.origin}`,
    createConnection: (
      options: OwnedRequest,
      callback: (error: unknown, socket?: Duplex | null) => void,
    ): Duplex | null | undefined => {
      const { call, proxy, lookup } = options
      const isSecure = call.url.protocol === 'https:'
      if (proxy === null && isSecure) return secure(options)
      if (proxy === null)
        return connect({
          ...agent.options,
          host: options.host ?? '',
          port: portOf(call.url),
          lookup,
        })
      openTunnel(proxy, call).then((socket) => {
        const tunneled: OwnedRequest = { ...options, socket }
        callback(null, isSecure ? secure(tunneled) : socket)
      }, callback)
      return undefined
    },
    // Idle connections must not use up the process's sockets, even if many merchants were called
    // recently.
    keepSocketAlive: (socket: Duplex): boolean => {
      if ((open.totalSocketCount ?? 0) > connectionsMax) return false
      // Node's own method returns whether the connection may be kept, but its types do not say so.
      return (keep(socket) as unknown) !== false
    },
  })
  return {
    send: (call: HttpRequest) => sendRequest(call, agent, peers, proxyFor(proxy, call.url)),
    /** Closes all connections, including those with requests in flight. */
    close: () => agent.destroy(),
  }
}

const PROXY_UNREACHABLE = explainedFailure(
  'connection_refused',
  'The service’s proxy cannot be reached.',
)

/**
 * Asks the proxy for a connection to the URL's host. The proxy looks the name up, and decides which
 * addresses may be called.
 */
const openTunnel = (proxy: URL, { url, deadline }: HttpRequest): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const authority = `${url.hostname}:${portOf(url)}`
    const { auth, ...options } = urlToHttpOptions(proxy)
    const headers = {
      Host: authority,
      ...(auth && { 'Proxy-Authorization': `Basic ${Buffer.from(auth).toString('base64')}` }),
    }
    const method = 'CONNECT'
    requestHttp({ ...options, method, path: authority, headers, agent: false, signal: deadline })
      .on('connect', ({ statusCode }, socket) => {
        if (statusCode === 200) return resolve(socket)
        socket.destroy()
        const sentence = `The service’s proxy answered ${statusCode}.`
        reject(new FailureError(explainedFailure('connection_refused', sentence)))
      })
      .on('error', (error) => {
        const isOurs = toRequestFailure(error).error === 'no_socket'
        reject(isOurs ? error : new FailureError(PROXY_UNREACHABLE))
      })
      .end()
  })
