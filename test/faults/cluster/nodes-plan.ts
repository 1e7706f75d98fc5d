// The fault plan of `pnpm nodes`: three servers on one PostgreSQL behind a simple load balancer. In
// each round one server is killed, another is frozen until a third
// has taken over, and the database stops.
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness/ports-and-folders.ts'
import { queryPostgres, startOwnPostgres } from '../../harness/postgres.ts'
import { errorsIn, type RunningServer, startServer } from '../../harness/running-server.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { postgresDatabase } from './databases.ts'
import type { Load } from './load.ts'
import type { FaultPlan } from './run.ts'

type NodesOptions = {
  /** The least number of orders to place before new shoppers stop. */
  readonly orders: number
  /** How often each disturbance happens. */
  readonly rounds: number
  /** What happens to the database in a round. */
  readonly database: 'restart' | 'kill'
}

type NodesFacts = {
  /** Requests that were answered with 503. */
  readonly refused: number
  /** Requests that each server received. */
  readonly requestCounts: readonly number[]
}

type Node = {
  readonly port: number
  server: RunningServer
  /** Everything printed by earlier processes of this node that were killed. */
  printed: string
  /** Out of the load balancer. */
  isOut: boolean
  requestCount: number
  /** Aborts the requests that wait for its answer. */
  silence: AbortController
}

const SERVER = fileURLToPath(new URL('../../harness/server-process.ts', import.meta.url))
const NODES = 3
// A frozen server keeps the right to start jobs for so long.
const TAKE_OVER = 5_000
// The server that starts jobs looks once a second until when it must wait.
const RENEWAL = 1_500
const ENDS_WITHIN = 120_000

/** Deliveries that were due when a server was frozen wait until it cannot be sending them any more. */
const waitForFrozen = async (databaseUrl: string): Promise<void> => {
  const [lease] = await queryPostgres(databaseUrl, 'select former_until from plazo.lease')
  await pause(Math.max(0, Number(lease?.former_until) - Date.now()) + RENEWAL)
}

/**
 * Sends a request to a node. A connection that was aborted looks as if it ended without a response.
 */
const sendTo = async (
  { port, silence }: Node,
  path: string,
  init: RequestInit,
): Promise<Response> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      signal: silence.signal,
    })
    const body = await answer.text()
    return new Response(body === '' ? null : body, {
      status: answer.status,
      headers: answer.headers,
    })
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'AbortError')
      throw new TypeError('No answer came.')
    throw cause
  }
}

export const nodesPlan =
  ({ orders, rounds, database }: NodesOptions): FaultPlan<NodesFacts> =>
  async ({ seed, onViolation, violationCount, say }) => {
    const postgres = await startOwnPostgres()
    const databaseUrl = await postgres.database()
    const { env, snapshot } = await postgresDatabase(databaseUrl)

    const ports = await Promise.all(Array.from({ length: NODES }, freePort))
    const url = `http://127.0.0.1:${ports[0]}`
    const start = (port: number): Promise<RunningServer> =>
      startServer({
        main: SERVER,
        env: { ...env, BASE_URL: url, PORT: String(port) },
      })
    const nodes = await Promise.all(
      ports.map(async (port): Promise<Node> => {
        const server = await start(port)
        return {
          port,
          server,
          printed: '',
          isOut: false,
          requestCount: 0,
          silence: new AbortController(),
        }
      }),
    )
    const [first, ...others] = nodes
    const balance = seededRandom(seed, 'balance')
    let load: Load | null = null
    let refused = 0

    const stop = async (node: Node): Promise<void> => {
      node.isOut = true
      if ((await node.server.stop()) !== 0) onViolation('Told to stop, a server did not end well.')
      for (const line of errorsIn(node.printed + node.server.output()))
        onViolation(`A server says: ${line}`)
    }

    const disturbOnce = async (round: number): Promise<void> => {
      const draw = seededRandom(seed, `round ${round}`)
      const [killed, frozen] = draw.shuffle(nodes)
      if (killed === undefined || frozen === undefined) throw new Error('There are no nodes.')
      await pause(500 + draw.below(500))
      await killed.server.kill()
      killed.printed += killed.server.output()
      frozen.server.child.kill('SIGSTOP')
      await pause(200 + draw.below(300))
      frozen.isOut = true
      frozen.silence.abort()
      // Only the third server runs, until shortly after it has taken over from the other two.
      await pause(TAKE_OVER + 500)
      killed.server = await start(killed.port)
      frozen.server.child.kill('SIGCONT')
      frozen.silence = new AbortController()
      frozen.isOut = false
      await pause(500 + draw.below(500))
      await (database === 'kill' ? postgres.kill() : postgres.stop())
      await pause(300 + draw.below(700))
      await postgres.start()
    }

    return {
      url,
      endsWithin: ENDS_WITHIN,
      hasMovingClock: false,
      // A request goes to any server, but not to one that has been silent for a while.
      fetch: async (address, init) => {
        const there = nodes.filter(({ isOut }) => !isOut)
        const node = there[balance.below(there.length)] ?? first
        if (node === undefined) throw new Error('There are no nodes.')
        node.requestCount += 1
        const { pathname, search } = new URL(address)
        const response = await sendTo(node, `${pathname}${search}`, init)
        if (response.status === 503) {
          refused += 1
          // The database may have committed the order, but its answer was lost.
          if (init.method === 'POST' && pathname === '/orders' && load !== null)
            load.count.unansweredPlaces += 1
          if (!/^\d+$/.test(response.headers.get('retry-after') ?? ''))
            onViolation(`${pathname} answered 503 without Retry-After.`)
        }
        return response
      },
      disturb: async (started, remember) => {
        load = started
        for (let round = 0; round < rounds; round++) {
          await disturbOnce(round)
          // Everything that had been answered must be stored.
          const check = remember()
          check(await snapshot())
          say(
            `Round ${round + 1}: ${started.journeys.length} orders, ${started.count.lost} requests lost, ${refused} refused, ${violationCount()} violations.`,
          )
        }
        while (started.journeys.length < orders) await pause(100)
      },
      recover: async () => {
        for (const node of others) await stop(node)
        await waitForFrozen(databaseUrl)
      },
      stop: async () => {
        if (first !== undefined) await stop(first)
      },
      snapshot,
      facts: async () => ({
        refused,
        requestCounts: nodes.map(({ requestCount }) => requestCount),
      }),
      close: async () => {
        for (const { server } of nodes)
          if (server.child.exitCode === null && server.child.signalCode === null)
            await server.kill()
        await postgres.close()
      },
    }
  }
