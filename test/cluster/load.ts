// The load of a run: shoppers who arrive one after another, merchants who accept their orders, and a clock that moves, while
// the server may disappear at any moment. At the end everything is reconciled.
import { setTimeout as pause } from 'node:timers/promises'
import type { ExpectedOrders } from '../harness/ledger/expected-orders.ts'
import { type Reconciliation, reconcile } from '../harness/ledger/reconcile.ts'
import type { DatabaseSnapshot } from '../harness/ledger/sqlite-snapshot.ts'
import { ACCOUNT, MERCHANTS, type Receivers, startReceivers } from '../harness/merchants.ts'
import { seededRandom } from '../harness/seeded-random.ts'
import { shopAt } from '../harness/shop.ts'
import { receiveResponse } from './client.ts'
import { PATHS } from './shopper-paths.ts'
import { type Journey, type ShopperContext, startJourney } from './shoppers.ts'

type LoadOptions = Pick<ShopperContext, 'url' | 'fetch' | 'onViolation'> & {
  readonly seed: number
  /** Called with the time of the sandbox's clock after it was moved. */
  readonly onTime?: (now: number) => void
}

type RunTotals = ShopperContext['count'] & {
  readonly account: Reconciliation
  readonly placed: number
  readonly answerCount: number
}

type Load = {
  readonly journeys: readonly Journey[]
  readonly receivers: Receivers
  readonly count: ShopperContext['count']
  /** Starts the load with this many shoppers at a time. */
  readonly start: (shoppers: number) => void
  /** No new shoppers arrive, and the clock moves only on request. */
  readonly stopArrivals: () => void
  /**
   * Waits until every shopper has reached the end of their path. A shopper who has not after `within` milliseconds is stranded.
   */
  readonly waitForShoppers: (within: number) => Promise<void>
  readonly isClosed: () => boolean
  /** Moves the clock by weeks, so that deadlines and retries decide what is left. */
  readonly advanceWeeks: () => Promise<void>
  /** Compares what is left at the end with what the clients remember. */
  readonly reconcileRun: (left: DatabaseSnapshot, memory: ExpectedOrders) => RunTotals
  readonly close: () => Promise<void>
}

// Milliseconds in which the clock must pass a week of everybody's retries, one after another.
const ADVANCE_PATIENCE = 1_200_000
const DAY = 24 * 3600
// Requests of one lane run one after another. At an endpoint that is always down, each takes its own week.
const WEEKS_MAX = 20

/** Returns every path in turn, in a new random order each round. */
const pathSequence = (seed: number): (() => (typeof PATHS)[number]) => {
  const rounds = seededRandom(seed, 'paths')
  let round: typeof PATHS = []
  return () => {
    if (round.length === 0) round = rounds.shuffle(PATHS)
    const [path, ...rest] = round
    round = rest
    if (path === undefined) throw new Error('There are no paths.')
    return path
  }
}

export const startLoad = async ({ seed, url, fetch, onViolation, onTime }: LoadOptions): Promise<Load> => {
  const shop = shopAt(url, ACCOUNT, fetch)
  const journeys: Journey[] = []
  let isOpen = true
  let isClosed = false
  let running: Promise<unknown> = Promise.resolve()

  const receivers = await startReceivers(async (orderRef) => {
    const merchant = journeys.findIndex((journey) => journey.orderRef === orderRef)
    const body = { merchant: { id: MERCHANTS[merchant % MERCHANTS.length] }, state: 'confirmed' }
    await receiveResponse(shop.put(orderRef, body), { onViolation })
  })
  const trade: ShopperContext = {
    url,
    ...(fetch !== undefined && { fetch }),
    receivers,
    seeded: seededRandom(seed, 'shoppers'),
    onViolation,
    count: { lost: 0, unansweredPlaces: 0 },
    isClosed: () => isClosed,
  }
  const nextPath = pathSequence(seed)

  const runShoppers = async (): Promise<void> => {
    while (isOpen && !isClosed) {
      const { journey, finished: walked } = startJourney(trade, nextPath(), journeys.length)
      journeys.push(journey)
      await walked
    }
  }

  /** Returns how many jobs fell due, or null if the clock did not reach its target. */
  const advance = async (seconds: number): Promise<number | null> => {
    const moved = shop.send('POST', '/sandbox/clock/advance', { seconds })
    const response = await receiveResponse(moved, { onViolation, patience: ADVANCE_PATIENCE })
    // The response may start well before the database becomes unreachable.
    if (!Array.isArray(response?.body.fired)) return null
    onTime?.(Date.parse(String(response.body.now)))
    return response.body.fired.length
  }

  const moveClock = async (): Promise<void> => {
    const steps = seededRandom(seed, 'time')
    while (isOpen && !isClosed) {
      await advance(1 + steps.below(20))
      await pause(250)
    }
  }

  const stranded = (): readonly Journey[] => journeys.filter(({ hasEnded }) => !hasEnded)

  return {
    journeys,
    receivers,
    count: trade.count,
    start: (shoppers) => {
      running = Promise.all([moveClock(), ...Array.from({ length: shoppers }, runShoppers)])
      running.catch((cause: unknown) => onViolation(`A shopper broke down: ${String(cause)}`))
    },
    stopArrivals: () => {
      isOpen = false
    },
    waitForShoppers: async (within) => {
      for (const until = Date.now() + within; stranded().length > 0 && Date.now() < until; ) {
        await advance(20)
        await pause(200)
      }
      for (const { orderRef, path, last } of stranded())
        onViolation(`${orderRef} (${path.name}) gets no further than ${last || 'nothing'}.`)
      isClosed = true
      await running
    },
    isClosed: trade.isClosed,
    advanceWeeks: async () => {
      for (let weeks = 0; (await advance(8 * DAY)) !== 0 && weeks < WEEKS_MAX; ) weeks += 1
    },
    reconcileRun: (left, memory) => {
      for (const fault of memory.check(left, journeys, 'all')) onViolation(fault)
      const account = reconcile(left, receivers.received, url)
      for (const fault of account.faults) onViolation(fault)
      const placed = journeys.filter(({ orderRef }) => orderRef !== '').length
      const { unansweredPlaces } = trade.count
      if (account.orders.length < placed || account.orders.length > placed + unansweredPlaces)
        onViolation(
          `There are ${account.orders.length} orders, of ${placed} placed and ${unansweredPlaces} unanswered.`,
        )
      return {
        ...trade.count,
        account,
        placed,
        answerCount: journeys.reduce((sum, { answers: told }) => sum + told.length, 0),
      }
    },
    close: async () => {
      isClosed = true
      await receivers.close()
    },
  }
}
