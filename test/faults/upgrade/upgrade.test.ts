// Replaces a server under load, as an upgrade does: the next one starts on the same database, then
// the former one gets SIGTERM. Two kinds of client place orders without a pause, each on one
// connection that it reuses: some call the server itself until it refuses, others a proxy that never
// repeats a POST. `pnpm rolling-upgrade` replaces six servers in turn.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { newKeyEntry } from '@plazo/adapters/internal/encryption'
import { expect, it, onTestFinished } from 'vitest'
import { pathOfTest } from '../../harness/path-of-test.ts'
import { freshDatabase } from '../../harness/postgres-storage.ts'
import { type RunningServer, startServer } from '../../harness/running-server.ts'
import { basic, DEMO, orderBody } from '../../harness/shop.ts'
import { startProxy } from './proxy.ts'

const REPLACEMENTS = Number(process.env.REPLACEMENTS ?? 1)
/** Clients of each kind. */
const CLIENTS = 20
const WARM_UP_MILLIS = 500

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
 * connection. Resolves to what failed.
 */
const placeOrders = async (port: number, isOver: () => boolean): Promise<readonly string[]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const failures: string[] = []
  while (!isOver()) {
    try {
      const answer = await place(port, agent)
      if (answer !== '204') failures.push(answer)
    } catch (cause) {
      if (codeOf(cause) === 'ECONNREFUSED') break
      failures.push(codeOf(cause))
    }
  }
  agent.destroy()
  return failures
}

const portOf = ({ url }: RunningServer): number => Number(new URL(url).port)

it.each([
  ['SQLite', () => ({ DATABASE_URL: `sqlite:${pathOfTest('plazo.db')}` })],
  [
    'PostgreSQL',
    async () => {
      const { url, drop } = await freshDatabase()
      onTestFinished(drop)
      return { DATABASE_URL: url, SECRET_KEY: newKeyEntry() }
    },
  ],
])(
  'a server on %s that is replaced under clients that reuse connections without a pause loses no request',
  async (_, settings) => {
    const env = await settings()
    const start = async (): Promise<RunningServer> => {
      const server = await startServer({ env })
      onTestFinished(server.kill)
      return server
    }
    let current = await start()
    let ports = [portOf(current)]
    const proxy = await startProxy(() => ports)
    onTestFinished(proxy.close)
    for (let n = 0; n < REPLACEMENTS; n++) {
      const former = current
      current = await start()
      // The former one is tried first until it refuses: the proxy does not know that it will stop.
      ports = [portOf(former), portOf(current)]
      let isOver = false
      // As a browser does, and some load balancers.
      const unused = connect(portOf(former), '127.0.0.1').on('error', () => {})
      const direct = Array.from({ length: CLIENTS }, () => placeOrders(portOf(former), () => false))
      const proxied = Array.from({ length: CLIENTS }, () => placeOrders(proxy.port, () => isOver))
      await pause(WARM_UP_MILLIS)
      expect(await former.terminate()).toBe(0)
      unused.destroy()
      await pause(WARM_UP_MILLIS)
      isOver = true
      // The requests to the server itself, then those through the proxy.
      expect([(await Promise.all(direct)).flat(), (await Promise.all(proxied)).flat()]).toEqual([
        [],
        [],
      ])
    }
  },
)
