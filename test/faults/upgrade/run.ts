// Replaces a server under load, again and again, as an upgrade does: the next one starts on the
// same database, then the former one gets SIGTERM. Two kinds of client place orders without a
// pause, each on one connection that it reuses: some call the server itself until it refuses,
// others a proxy that never repeats a POST.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { basic, DEMO, orderBody } from '../../harness/shop.ts'
import { startProxy } from './proxy.ts'

type UpgradeOptions = {
  readonly replacements: number
  /** Clients of each kind. */
  readonly clients: number
  /** The settings of all servers. */
  readonly env: Readonly<Record<string, string>>
}

type Replacement = {
  /** Orders that were answered with 204. */
  readonly placed: number
  /** Requests to the server itself that ended without an answer, but were not refused. */
  readonly resets: readonly string[]
  /** Requests through the proxy with another answer than 204. */
  readonly failed: readonly string[]
  readonly exitCode: number | null
  readonly stoppedAfterMillis: number
}

const BODY = JSON.stringify(orderBody())
const HEADERS = {
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(BODY),
  authorization: basic(DEMO.username, DEMO.password),
}

/** Resolves to the status and the body. Rejects with the error of the connection. */
const place = (port: number, agent: Agent): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, method: 'POST', path: '/orders' }
    const sending = request({ ...options, headers: HEADERS }, async (answer) => {
      const text = await answer.setEncoding('utf8').toArray().catch(reject)
      resolve(`${answer.statusCode} ${text}`.trim())
    })
    sending.on('error', reject)
    sending.end(BODY)
  })

const codeOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause)

/**
 * Places orders one after another on one connection, until `isOver`, or until the server refuses a
 * connection.
 */
const placeOrders = async (port: number, isOver: () => boolean) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const failures: string[] = []
  let placed = 0
  while (!isOver()) {
    try {
      const answer = await place(port, agent)
      if (answer === '204') placed += 1
      else failures.push(answer)
    } catch (cause) {
      if (codeOf(cause) === 'ECONNREFUSED') break
      failures.push(codeOf(cause))
    }
  }
  agent.destroy()
  return { placed, failures }
}

const WARM_UP_MILLIS = 500

/** The first replacement is of a server that has just started. */
export const upgradeServers = async (
  { replacements, clients, env }: UpgradeOptions,
  onReplaced: (replacement: Replacement) => void = () => {},
): Promise<readonly Replacement[]> => {
  const portOf = ({ url }: RunningServer): number => Number(new URL(url).port)
  let current = await startServer({ env })
  let ports = [portOf(current)]
  const proxy = await startProxy(() => ports)
  const replaced: Replacement[] = []
  try {
    for (let n = 0; n < replacements; n++) {
      const former = current
      current = await startServer({ env })
      // The former one is tried first until it refuses: the proxy does not know that it will stop.
      ports = [portOf(former), portOf(current)]
      let isOver = false
      // As a browser does, and some load balancers.
      const unused = connect(portOf(former), '127.0.0.1').on('error', () => {})
      const direct = Array.from({ length: clients }, () => placeOrders(portOf(former), () => false))
      const proxied = Array.from({ length: clients }, () => placeOrders(proxy.port, () => isOver))
      await pause(WARM_UP_MILLIS)
      const startedAt = performance.now()
      const stopping = former.terminate()
      const exitCode = await stopping
      const stoppedAfterMillis = performance.now() - startedAt
      unused.destroy()
      await pause(WARM_UP_MILLIS)
      isOver = true
      const [directly, byProxy] = [await Promise.all(direct), await Promise.all(proxied)]
      const replacement: Replacement = {
        placed: [...directly, ...byProxy].reduce((sum, { placed }) => sum + placed, 0),
        resets: directly.flatMap(({ failures }) => failures),
        failed: byProxy.flatMap(({ failures }) => failures),
        exitCode,
        stoppedAfterMillis,
      }
      onReplaced(replacement)
      replaced.push(replacement)
      ports = [portOf(current)]
    }
  } finally {
    await proxy.close()
    await current.kill()
  }
  return replaced
}
