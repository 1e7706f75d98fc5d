// Keeps connections open for the next request. If the other end closes one just as a request is
// written, that attempt fails. It is unknown whether the request was read, so it is only sent again
// by its schedule.
import { lookup } from 'node:dns'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { type OwnedRequest, type Peer, sendRequest } from './http-request.ts'
import type { Connections } from './signed-requests.ts'

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

const CONNECTIONS_MAX = 4_000

const keepForOwner = <A extends HttpAgent>(agent: A, connectionsMax: number): A => {
  const addressOf = agent.getName.bind(agent)
  const keep = agent.keepSocketAlive.bind(agent)
  const open = agent as A & { readonly totalSocketCount?: number }
  return Object.assign(agent, {
    // Agents find kept connections by this name. Merchants may share a host, so the name includes
    // the owner. Bytes that arrive after an answer are taken for the answer to the next request,
    // and must not decide another merchant's order.
    getName: (requested?: Partial<OwnedRequest>): string =>
      `${addressOf(requested)}:${requested?.owner}`,
    // Idle connections must not use up the process's sockets, even if many merchants were called
    // recently.
    keepSocketAlive: (socket: Duplex): boolean => {
      if ((open.totalSocketCount ?? 0) > connectionsMax) return false
      // Node's own method returns whether the connection may be kept, but its types do not say so.
      return (keep(socket) as unknown) !== false
    },
  })
}

const anyPeer = (): Peer => ({ lookup, isAllowed: () => true })

/**
 * Makes connections that are kept for the next request. `peerOf`: who may be called by a URL.
 * Default: anybody. `connectionsMax`: the number of connections per protocol, in use or kept,
 * beyond which none is kept.
 */
export const createKeepAliveAgents = (
  peerOf: (url: URL) => Peer = anyPeer,
  connectionsMax = CONNECTIONS_MAX,
): Connections => {
  const http = keepForOwner(new HttpAgent(AGENT_OPTIONS), connectionsMax)
  const https = keepForOwner(new HttpsAgent(AGENT_OPTIONS), connectionsMax)
  return {
    send: (call) =>
      sendRequest(call, call.url.protocol === 'https:' ? https : http, peerOf(call.url)),
    /** Closes all connections, including those with requests in flight. */
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}
