// One run: shoppers send requests to three servers on one PostgreSQL, while one server is killed, another is frozen past its
// leases, and the database stops. Then everything is driven to its end and reconciled.
import { setTimeout as pause } from 'node:timers/promises'
import { newKeyEntry } from '@plazo/adapters/encryption'
import { openPostgres } from '@plazo/adapters/postgres'
import { freePort } from '../../harness/free-port.ts'
import { expectedOrders } from '../../harness/ledger/expected-orders.ts'
import { postgresSnapshot } from '../../harness/ledger/postgres-snapshot.ts'
import type { Reconciliation } from '../../harness/ledger/reconcile.ts'
import { addMerchants } from '../../harness/merchants.ts'
import { startOwnPostgres } from '../../harness/postgres.ts'
import { keyringOf } from '../../harness/secret-keys.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { startLoad } from '../load.ts'
import { checkLanesUntilOver } from './lanes.ts'
import { type Node, startNodes } from './load-balancer.ts'
import { errorsIn } from './run-faults.ts'

type NodesRunOptions = {
  readonly seed: number
  /** The least number of orders to place before new shoppers stop. */
  readonly orders: number
  /** Orders in progress at the same time. */
  readonly shoppers: number
  /** How often each disturbance happens. */
  readonly rounds: number
  /** What happens to the database in a round. */
  readonly database: 'restart' | 'kill'
  readonly say?: (line: string) => void
}

export type NodesReport = {
  readonly violations: readonly string[]
  readonly placed: number
  readonly answerCount: number
  /** Requests that were answered with 503, and requests without an answer. */
  readonly refused: number
  readonly lost: number
  /** Requests that each server received. */
  readonly asked: readonly number[]
  readonly laneChecks: number
  readonly lostLeases: number
  readonly account: Reconciliation
}

const NODES = 3
const LEASE = 3_000
/** The default limit of `plazo` for one merchant. */
const PER_MERCHANT = 4
const ENDS_WITHIN = 120_000

const lostLeasesOf = async (nodes: readonly Node[]): Promise<number> => {
  let lost = 0
  for (const { port } of nodes) {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    lost += Number(/^plazo_lost_leases_total (\d+)$/m.exec(metrics)?.[1] ?? 0)
  }
  return lost
}

export const nodesRun = async ({
  seed,
  orders,
  shoppers,
  rounds,
  database,
  say = () => {},
}: NodesRunOptions): Promise<NodesReport> => {
  const violations = new Set<string>()
  const onViolation = (what: string): void => void violations.add(what)
  const expected = expectedOrders()
  const postgres = await startOwnPostgres()
  const url = await postgres.database()
  const secretKey = newKeyEntry()
  const keyring = keyringOf(secretKey)
  const home = await openPostgres(url, { keyring })
  await addMerchants(home.merchants)
  await home.close()

  const ports = await Promise.all(Array.from({ length: NODES }, freePort))
  const nodes = await startNodes({
    ports,
    env: { DATABASE_URL: url, SECRET_KEY: secretKey, LEASE: String(LEASE) },
    seeded: seededRandom(seed, 'balance'),
    onViolation,
    // The database may have committed the order, but its answer was lost.
    onRefused: (method, path) => {
      if (method === 'POST' && path === '/orders') load.count.unansweredPlaces += 1
    },
  })
  const load = await startLoad({ seed, url: `http://127.0.0.1:${ports[0]}`, fetch: nodes.fetch, onViolation })
  const { journeys } = load

  /** Everything that had been answered must be stored. */
  const lookBack = async (): Promise<void> => {
    const before = journeys.map((journey) => ({ ...journey, answers: [...journey.answers] }))
    const left = await postgresSnapshot(url, keyring)
    for (const fault of expected.check(left, before, 'all')) onViolation(fault)
  }

  const disturb = async (count: number): Promise<void> => {
    const which = seededRandom(seed, `round ${count}`)
    const [killed, frozen] = which.shuffle(nodes.all)
    if (killed === undefined || frozen === undefined) throw new Error('There are no nodes.')
    await pause(500 + which.below(500))
    await nodes.kill(killed)
    nodes.freeze(frozen)
    await pause(200 + which.below(300))
    nodes.takeOut(frozen)
    // Only the third server runs, until shortly after the leases of the other two have expired.
    await pause(LEASE + 500)
    await nodes.startAgain(killed)
    nodes.thaw(frozen)
    await pause(500 + which.below(500))
    await (database === 'kill' ? postgres.kill() : postgres.stop())
    await pause(300 + which.below(700))
    await postgres.start()
    await lookBack()
    say(
      `Round ${count + 1}: ${journeys.length} orders, ${load.count.lost} requests lost, ${nodes.count.refused} refused, ${violations.size} violations.`,
    )
  }

  const stop = async (node: Node): Promise<void> => {
    if ((await nodes.stop(node)) !== 0) onViolation('Told to stop, a server did not end well.')
  }

  /** Only one server moves the clock past the week. */
  const letWeeksGoBy = async ([first, ...others]: readonly Node[]): Promise<void> => {
    for (const node of others) await stop(node)
    await pause(LEASE)
    await load.advanceWeeks()
    if (first !== undefined) await stop(first)
  }

  try {
    load.start(shoppers)
    const watched = checkLanesUntilOver(url, PER_MERCHANT, {
      onFault: ({ fault, order_ref, lane }) => onViolation(`${order_ref ?? ''} ${lane}: ${fault}.`),
      isOver: load.isClosed,
    })
    for (let count = 0; count < rounds; count++) await disturb(count)
    while (journeys.length < orders) await pause(100)
    load.stopArrivals()
    await load.waitForShoppers(ENDS_WITHIN)
    const laneChecks = await watched
    const lostLeases = await lostLeasesOf(nodes.all)
    say('Every shopper has come to an end; now one server alone moves the clock past the week.')
    await letWeeksGoBy(nodes.all)
    for (const node of nodes.all) for (const line of errorsIn(nodes.output(node))) onViolation(`A server says: ${line}`)
    const left = await postgresSnapshot(url, keyring)
    const { account, placed, answerCount: told, lost } = load.reconcileRun(left, expected)
    return {
      violations: [...violations],
      placed,
      answerCount: told,
      refused: nodes.count.refused,
      lost,
      asked: ports.map((port) => nodes.count.asked.get(port) ?? 0),
      laneChecks,
      lostLeases,
      account,
    }
  } finally {
    await load.close()
    for (const { server } of nodes.all)
      if (server.child.exitCode === null && server.child.signalCode === null) await server.kill()
    await postgres.close()
  }
}
