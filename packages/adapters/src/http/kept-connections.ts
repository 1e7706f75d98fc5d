// Keeps connections open for the next request. If the other end closes one just as a request is written, that attempt fails.
// It is unknown whether the request was read, so it is only sent again by its schedule.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { type Call, exchange, type OwnedRequest } from './exchange.ts'
import type { Answer } from './read-answer.ts'

export type KeptConnections = {
  readonly exchange: (call: Call) => Promise<Answer>
  /** Closes all connections, including those with requests in flight. */
  readonly close: () => void
}

// Connections are kept for less than the 5 s after which common servers close them, and at most as many per host as may be in
// flight for one merchant. While another address is left, an address that does not answer gets 2 s. With Node's 250 ms,
// distant merchants could not be reached.
const OPTIONS = {
  keepAlive: true,
  timeout: 4_000,
  maxFreeSockets: 64,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2_000,
}

// Agents find kept connections by this name. Merchants may share a host, so the name includes the owner. Bytes that arrive
// after an answer are taken for the answer to the next request, and must not decide another merchant's order.
const byOwner = <A extends HttpAgent>(agent: A): A => {
  const addressOf = agent.getName.bind(agent)
  const getName = (asked?: Partial<OwnedRequest>): string => `${addressOf(asked)}:${asked?.owner}`
  return Object.assign(agent, { getName })
}

const CONNECTIONS_MAX = 4_000

// Idle connections must not use up the process's sockets, even if many merchants were called recently.
const keepingFew = <A extends HttpAgent>(agent: A, connectionsMax: number): A => {
  const keep = agent.keepSocketAlive.bind(agent)
  const open = agent as A & { readonly totalSocketCount?: number }
  const keepSocketAlive = (socket: Duplex): boolean => {
    if ((open.totalSocketCount ?? 0) > connectionsMax) return false
    // Node's own method returns whether the connection may be kept, but its types do not say so.
    return (keep(socket) as unknown) !== false
  }
  return Object.assign(agent, { keepSocketAlive })
}

/** `connectionsMax`: the number of connections per protocol, in use or kept, beyond which none is kept. */
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
