// One run: shoppers whose requests go to any of three servers on one PostgreSQL, while a server is killed, another is
// frozen past its leases, and the database goes away; then everything is driven to its end, and held to account.
import { setTimeout as pause } from 'node:timers/promises'
import { verifyStandardWebhook } from '@plazo/adapters/http'
import { openPostgres } from '@plazo/adapters/postgres'
import { newKeyEntry } from '@plazo/adapters/sealing'
import type { CrashFile } from '../crash/crash-file.ts'
import { type Account, finalAccount } from '../crash/final-account.ts'
import { hear } from '../crash/hearing.ts'
import { memoryOfOrders } from '../crash/memory-of-orders.ts'
import { ACCOUNT, addMerchants, MERCHANTS, SECRET, startReceivers, webhookId } from '../crash/merchants.ts'
import { PATHS } from '../crash/paths.ts'
import { seeded } from '../crash/seeded.ts'
import { type Journey, startJourney, type Trade } from '../crash/shoppers.ts'
import { freePort } from '../support/free-port.ts'
import { startOwnPostgres } from '../support/postgres.ts'
import type { Received } from '../support/receiver.ts'
import { keyringOf } from '../support/secret-keys.ts'
import { shopAt } from '../support/shop.ts'
import { databaseAsLeft } from './database-as-left.ts'
import { watchLanes } from './lanes.ts'
import { type Node, startNodes } from './nodes.ts'

type NodesRunOptions = {
  readonly seed: number
  /** Orders placed before the market closes, at least. */
  readonly orders: number
  /** Orders under way at a time. */
  readonly shoppers: number
  /** How often each of it happens. */
  readonly rounds: number
  /** What becomes of the database in a round. */
  readonly database: 'restart' | 'kill'
  readonly say?: (line: string) => void
}

export type NodesReport = {
  readonly violations: readonly string[]
  readonly placed: number
  readonly told: number
  /** Requests that were answered 503, and those that no answer came to. */
  readonly refused: number
  readonly lost: number
  /** Requests that each server got. */
  readonly asked: readonly number[]
  readonly looks: number
  readonly lostLeases: number
  readonly account: Account
}

const NODES = 3
const LEASE = 3_000
/** What `plazo` allows of one merchant unless told otherwise. */
const PER_MERCHANT = 4
const ENDS_WITHIN = 120_000
const A_LONG_WAY = 600_000
const DAY = 24 * 3600
const WEEKS_MAX = 20

const SIGNS_AT = 'webhook-timestamp'

const isSigned = (request: Received): boolean =>
  verifyStandardWebhook(
    [SECRET],
    { id: webhookId(request), timestamp: Number(request.headers[SIGNS_AT]), body: request.body },
    String(request.headers['webhook-signature']),
  )

/** Same id, same bytes; all of them signed. */
const requestFaults = (received: readonly Received[]): readonly string[] => {
  const bodies = Map.groupBy(received, webhookId)
  return [
    ...received.flatMap((request) => (isSigned(request) ? [] : [`${webhookId(request)} came with a wrong signature.`])),
    ...[...bodies].flatMap(([id, requests]) =>
      new Set(requests.map(({ body }) => body)).size === 1 ? [] : [`${id} came with different bodies.`],
    ),
  ]
}

/** What no order may have done, whoever carried it out. */
const moneyFaults = (left: CrashFile): readonly string[] =>
  left.orders().flatMap(({ id, orderRef }) => {
    const lines = left.lines(id)
    const checkout = (state: string): string => state.split(' ')[0] ?? ''
    const confirmed = lines.filter(
      ({ from, to }) => checkout(from) !== 'confirmed' && checkout(to) === 'confirmed',
    ).length
    const accepted = lines.filter(({ event, from, to }) => event === 'ipn.accepted' && from !== to).length
    // An order under review has an IPN that says so, and one of what came of it.
    const isReviewed = lines.some(({ to }) => checkout(to) === 'reviewing')
    const paid = lines.findIndex(({ event }) => event === 'payment.succeeded')
    const refunded = lines.findIndex(({ event }) => event === 'payment.refunded')
    return [
      ...(confirmed > 1 ? [`${orderRef} was confirmed ${confirmed} times.`] : []),
      ...(accepted > (isReviewed ? 2 : 1) ? [`${orderRef}: ${accepted} IPNs were accepted.`] : []),
      ...(refunded >= 0 && (paid < 0 || paid > refunded) ? [`${orderRef} was refunded without a payment.`] : []),
    ]
  })

// That the database was away is no fault of theirs, nor that a merchant was given up on.
const EXPECTED = ['"alert":"exhausted"', 'the store does not answer']

const errorsIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter((line) => /"level":(50|60)|^\S*Error/.test(line) && !EXPECTED.some((text) => line.includes(text)))

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
  const postgres = await startOwnPostgres()
  const url = await postgres.database()
  const secretKey = newKeyEntry()
  const keyring = keyringOf(secretKey)
  const home = await openPostgres(url, { keyring })
  await addMerchants(home.merchants)
  await home.close()

  const ports = await Promise.all(Array.from({ length: NODES }, freePort))
  const baseUrl = `http://127.0.0.1:${ports[0]}`
  const nodes = await startNodes({
    ports,
    env: { DATABASE_URL: url, SECRET_KEY: secretKey, LEASE: String(LEASE) },
    seeded: seeded(seed, 'balance'),
    onViolation,
    // Its answer may have been lost on the way from the database.
    onRefused: (method, path) => {
      if (method === 'POST' && path === '/orders') trade.count.unansweredPlaces += 1
    },
  })

  const journeys: Journey[] = []
  const memory = memoryOfOrders()
  let isMarketOpen = true
  let isClosed = false
  const shop = shopAt(baseUrl, ACCOUNT, nodes.fetch)
  const receivers = await startReceivers(async (orderRef) => {
    const merchant = journeys.findIndex((journey) => journey.orderRef === orderRef)
    const body = { merchant: { id: MERCHANTS[merchant % MERCHANTS.length] }, state: 'confirmed' }
    await hear(shop.put(orderRef, body), { onViolation })
  })
  const trade: Trade = {
    url: baseUrl,
    fetch: nodes.fetch,
    receivers,
    seeded: seeded(seed, 'shoppers'),
    onViolation,
    count: { lost: 0, unansweredPlaces: 0 },
    isClosed: () => isClosed,
  }

  // Every path in turn, in an order of its own each round.
  const drawn = seeded(seed, 'paths')
  let round: typeof PATHS = []
  const nextPath = (): (typeof PATHS)[number] => {
    if (round.length === 0) round = drawn.shuffled(PATHS)
    const [path, ...rest] = round
    round = rest
    if (path === undefined) throw new Error('There are no paths.')
    return path
  }

  const shopping = async (): Promise<void> => {
    while (isMarketOpen && !isClosed) {
      const { journey, walked } = startJourney(trade, nextPath(), journeys.length)
      journeys.push(journey)
      await walked
    }
  }

  /** How many effects fell due on the way; null where it did not get to the end. */
  const advance = async (seconds: number): Promise<number | null> => {
    const heard = await hear(shop.send('POST', '/sandbox/clock/advance', { seconds }), {
      onViolation,
      patience: A_LONG_WAY,
    })
    // It may begin well, and find the database gone on the way.
    return Array.isArray(heard?.body.fired) ? heard.body.fired.length : null
  }

  const timeGoesBy = async (): Promise<void> => {
    const steps = seeded(seed, 'time')
    while (isMarketOpen && !isClosed) {
      await advance(1 + steps.below(20))
      await pause(250)
    }
  }

  let looks = 0
  /** The lanes, again and again, also when the database has been away. */
  const watching = async (): Promise<void> => {
    while (!isClosed)
      try {
        const lanes = await watchLanes(url, PER_MERCHANT)
        try {
          while (!isClosed) {
            for (const { fault, order_ref, lane } of await lanes.look())
              onViolation(`${order_ref ?? ''} ${lane}: ${fault}.`)
            looks += 1
            await pause(20)
          }
        } finally {
          await lanes.close()
        }
      } catch {
        await pause(100)
      }
  }

  /** What had been answered before is there. */
  const lookBack = async (): Promise<void> => {
    const before = journeys.map((journey) => ({ ...journey, told: [...journey.told] }))
    const left = await databaseAsLeft(url, keyring)
    for (const fault of memory.check(left, before, 'all')) onViolation(fault)
  }

  let lostLeases = 0
  const countLostLeases = async ({ port }: Node): Promise<void> => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    lostLeases += Number(/^plazo_lost_leases_total (\d+)$/m.exec(metrics)?.[1] ?? 0)
  }

  const disturb = async (count: number): Promise<void> => {
    const which = seeded(seed, `round ${count}`)
    const [killed, frozen] = which.shuffled(nodes.all)
    if (killed === undefined || frozen === undefined) throw new Error('There are no nodes.')
    await pause(500 + which.below(500))
    await nodes.kill(killed)
    nodes.freeze(frozen)
    await pause(200 + which.below(300))
    nodes.takeOut(frozen)
    // The third one alone, until the leases of both are over, and a little longer.
    await pause(LEASE + 500)
    await nodes.startAgain(killed)
    nodes.thaw(frozen)
    await pause(500 + which.below(500))
    await (database === 'kill' ? postgres.kill() : postgres.stop())
    await pause(300 + which.below(700))
    await postgres.start()
    await lookBack()
    say(
      `Round ${count + 1}: ${journeys.length} orders, ${trade.count.lost} requests lost, ${nodes.count.refused} refused, ${violations.size} violations.`,
    )
  }

  const hasUnended = (): boolean => journeys.some(({ hasEnded }) => !hasEnded)

  const driveToTheEnd = async (market: Promise<unknown>): Promise<void> => {
    for (const until = Date.now() + ENDS_WITHIN; hasUnended() && Date.now() < until; ) {
      await advance(20)
      await pause(200)
    }
    for (const { hasEnded, orderRef, path, last } of journeys)
      if (!hasEnded) onViolation(`${orderRef} (${path.name}) gets no further than ${last || 'nothing'}.`)
    isClosed = true
    await market
    say('Every shopper has come to an end; now one server alone moves the clock past the week.')
    const [first, ...others] = nodes.all
    if (first === undefined) throw new Error('There are no nodes.')
    for (const node of nodes.all) await countLostLeases(node)
    for (const node of others)
      if ((await nodes.stop(node)) !== 0) onViolation('Told to stop, a server did not end well.')
    await pause(LEASE)
    for (let weeks = 0; (await advance(8 * DAY)) !== 0 && weeks < WEEKS_MAX; ) weeks += 1
    if ((await nodes.stop(first)) !== 0) onViolation('Told to stop, the last server did not end well.')
    for (const node of nodes.all) for (const line of errorsIn(nodes.output(node))) onViolation(`A server says: ${line}`)
  }

  try {
    const market = Promise.all([timeGoesBy(), watching(), ...Array.from({ length: shoppers }, shopping)])
    market.catch((cause: unknown) => onViolation(`A shopper broke down: ${String(cause)}`))
    for (let count = 0; count < rounds; count++) await disturb(count)
    while (journeys.length < orders) await pause(100)
    isMarketOpen = false
    await driveToTheEnd(market)
    const left = await databaseAsLeft(url, keyring)
    for (const fault of memory.check(left, journeys, 'all')) onViolation(fault)
    const account = finalAccount(left, receivers.received, baseUrl)
    for (const fault of [...account.faults, ...moneyFaults(left), ...requestFaults(receivers.received)])
      onViolation(fault)
    const placed = journeys.filter(({ orderRef }) => orderRef !== '').length
    if (account.orders < placed || account.orders > placed + trade.count.unansweredPlaces)
      onViolation(
        `There are ${account.orders} orders, of ${placed} placed and ${trade.count.unansweredPlaces} unanswered.`,
      )
    return {
      violations: [...violations],
      placed,
      told: journeys.reduce((sum, { told }) => sum + told.length, 0),
      refused: nodes.count.refused,
      lost: trade.count.lost,
      asked: ports.map((port) => nodes.count.asked.get(port) ?? 0),
      looks,
      lostLeases,
      account,
    }
  } finally {
    isClosed = true
    for (const { server } of nodes.all)
      if (server.child.exitCode === null && server.child.signalCode === null) await server.kill()
    await receivers.close()
    await postgres.close()
  }
}
