// The connections that requests go over, kept for the next one. One that the other end has cut just as a request was
// written fails that attempt: nobody knows whether it was read, and what is sent again is sent by its schedule.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { type Call, exchange, type OwnedRequest } from './exchange.ts'
import type { Answer } from './read-answer.ts'

export type KeptConnections = {
  readonly exchange: (call: Call) => Promise<Answer>
  /** Ends those that are kept, and with them what is in flight. */
  readonly close: () => void
}

// Connections are kept for less than the 5 s after which common servers close them, and no more of one host than are
// in flight for one merchant. An address that does not answer gets 2 s while another is left; Node's 250 ms would give
// up distant merchants.
const OPTIONS = {
  keepAlive: true,
  timeout: 4_000,
  maxFreeSockets: 64,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_000,
}

// Agents keep connections by name. Merchants may share a host: what comes over a connection after an answer is taken for the
// answer to the next request, and would decide another merchant's order.
const byOwner = <A extends HttpAgent>(agent: A): A => {
  const addressOf = agent.getName.bind(agent)
  const getName = (asked?: Partial<OwnedRequest>): string => `${addressOf(asked)}:${asked?.owner}`
  return Object.assign(agent, { getName })
}

const CONNECTIONS_MAX = 4_000

// However many merchants were called of late, connections that wait for a next request do not use up the process's sockets.
const keepingFew = <A extends HttpAgent>(agent: A, connectionsMax: number): A => {
  const keep = agent.keepSocketAlive.bind(agent)
  const open = agent as A & { readonly totalSocketCount?: number }
  const keepSocketAlive = (socket: Duplex): boolean => {
    if ((open.totalSocketCount ?? 0) > connectionsMax) return false
    // Node's own answers whether the connection may be kept, which its types do not say.
    return (keep(socket) as unknown) !== false
  }
  return Object.assign(agent, { keepSocketAlive })
}

/** `connectionsMax`: of each protocol, in use or kept; beyond it none is kept. */
export const keptConnections = (connectionsMax = CONNECTIONS_MAX): KeptConnections => {
  const [http, https] = [new HttpAgent(OPTIONS), new HttpsAgent(OPTIONS)].map((agent) =>
    byOwner(keepingFew(agent, connectionsMax)),
  ) as [HttpAgent, HttpsAgent]
  return {
    exchange: (call) => exchange(call, call.url.protocol === 'https:' ? https : http),
    close: () => {
      http.destroy()
      https.destroy()
    },
  }
}
