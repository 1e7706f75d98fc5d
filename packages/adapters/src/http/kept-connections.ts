// The connections that requests go over: kept for the next one, and replaced where the other end has closed them.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { type Call, exchange } from './exchange.ts'
import type { Answer } from './read-answer.ts'

export type KeptConnections = {
  readonly exchange: (call: Call) => Promise<Answer>
  /** Ends those that are kept, and with them what is in flight. */
  readonly close: () => void
}

export const keptConnections = (): KeptConnections => {
  const agents = { http: agentsOf(HttpAgent), https: agentsOf(HttpsAgent) }
  return {
    exchange: async (call) => {
      const { kept, fresh } = call.url.protocol === 'https:' ? agents.https : agents.http
      const first = await exchange(call, kept)
      // A kept connection may have been closed by the other end just as the request was written. Whether it was read
      // is unknown, so this may be its second sending: its id is the same, by which the receiver drops repeats.
      return first.wasStale ? (await exchange(call, fresh)).answer : first.answer
    },
    close: () => {
      for (const { kept, fresh } of [agents.http, agents.https]) {
        kept.destroy()
        fresh.destroy()
      }
    },
  }
}

// Connections are kept for less than the 5 s after which common servers close them, and no more of one host than are
// in flight for one merchant. An address that does not answer gets 2 s while another is left; Node's 250 ms would give
// up distant merchants.
const KEPT_MILLIS = 4_000
const agentsOf = <A>(
  AgentOfScheme: new (options: {
    readonly keepAlive: boolean
    readonly timeout?: number
    readonly maxFreeSockets?: number
    readonly autoSelectFamily: boolean
    readonly autoSelectFamilyAttemptTimeout: number
  }) => A,
) => {
  const connecting = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 }
  return {
    kept: new AgentOfScheme({ keepAlive: true, timeout: KEPT_MILLIS, maxFreeSockets: 64, ...connecting }),
    fresh: new AgentOfScheme({ keepAlive: false, ...connecting }),
  }
}
