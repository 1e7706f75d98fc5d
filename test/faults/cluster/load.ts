// The load of a run: shoppers who arrive one after another, merchants who accept their orders, and
// a clock that moves, while the server may disappear at any moment. At the end everything is
// reconciled.
import { setTimeout as pause } from 'node:timers/promises'
import type { Reconciliation } from '../../harness/ledger/reconcile.ts'
import type { DatabaseSnapshot } from '../../harness/ledger/snapshot.ts'
import { MERCHANTS, type MerchantRef } from '../../harness/merchants.ts'
import { type MerchantsOnSockets, startMerchants } from '../../harness/merchants-on-sockets.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { requestsOf } from '../../harness/shopper.ts'
import {
  type Journey,
  type JourneyContext,
  openClient,
  RESTLESS,
  startJourney,
} from './journeys.ts'
import { PATHS, type Path } from './paths.ts'

type LoadOptions = Parameters<typeof openClient>[0] & {
  readonly seed: number
  /** Default: restless. */
  readonly pollsAfter?: number
  readonly hasMovingClock: boolean
}

export type RunTotals = JourneyContext['count'] & {
  readonly account: Reconciliation
  readonly placed: number
  readonly answerCount: number
}

export type Load = {
  readonly journeys: readonly Journey[]
  readonly merchants: MerchantsOnSockets
  readonly count: JourneyContext['count']
  /** Starts one order. Resolves when its shopper has left. */
  readonly arrive: (path: Path, merchant: MerchantRef) => Promise<void>
  /** Starts the load with this many shoppers at a time, and the clock if it moves. */
  readonly start: (shoppers: number) => void
  /** No new shoppers arrive, the clock moves only on request, and merchants are calm. */
  readonly stopArrivals: () => void
  /**
   * Waits until every shopper has reached the end of their path. A shopper who has not after
   * `within` milliseconds is stranded.
   */
  readonly waitForShoppers: (within: number) => Promise<void>
  readonly isClosed: () => boolean
  /** Moves the clock by weeks, so that deadlines and retries decide what is left. */
  readonly advanceWeeks: () => Promise<void>
  /** Closes the ledger with what is left at the end. */
  readonly reconcileRun: (snapshot: DatabaseSnapshot) => RunTotals
  readonly close: () => Promise<void>
}

// Milliseconds in which the clock must pass a week of everybody's retries, one after another.
const ADVANCE_PATIENCE = 1_200_000
const DAY = 24 * 3600
// Requests of one lane run one after another. At an endpoint that is always down, each takes its
// own week.
const WEEKS_MAX = 20

/** Returns every path in turn, in a new random order each round. */
const pathSequence = (seed: number, paths: typeof PATHS): (() => (typeof PATHS)[number]) => {
  const rounds = seededRandom(seed, 'paths')
  let round: typeof PATHS = []
  return () => {
    if (round.length === 0) round = rounds.shuffle(paths)
    const [path, ...rest] = round
    round = rest
    if (path === undefined) throw new Error('There are no paths.')
    return path
  }
}

export const startLoad = async ({
  seed,
  pollsAfter = RESTLESS,
  hasMovingClock,
  ...client
}: LoadOptions): Promise<Load> => {
  const { url, ledger, onViolation } = client
  const ask = openClient(client)
  const journeys: Journey[] = []
  let isOpen = true
  let isClosed = false
  let running: Promise<unknown> = Promise.resolve()

  const merchants = await startMerchants({
    planOf: (number) => journeys[number]?.plan,
    drawOf: (number) => seededRandom(seed, `merchant of order ${number}`),
    put: async (number, orderRef, state) => {
      const plan = journeys[number]?.plan
      return plan && ask(requestsOf(plan).put(orderRef, state))
    },
    isCalm: () => !isOpen,
    onViolation: (_, what) => onViolation(what),
  })
  const context: JourneyContext = {
    ask,
    onViolation,
    merchants,
    draw: seededRandom(seed, 'shoppers'),
    count: { lost: 0, unansweredPlaces: 0 },
    isClosed: () => isClosed,
    pollsAfter,
  }
  // Nobody waits for a screening to expire while the clock stands still.
  const nextPath = pathSequence(
    seed,
    hasMovingClock ? PATHS : PATHS.filter(({ surnames }) => surnames !== 'expiry event'),
  )

  const arrive = (path: Path, merchant: MerchantRef): Promise<void> => {
    const { journey, finished } = startJourney(context, path, journeys.length, merchant)
    journeys.push(journey)
    return finished
  }

  const runShoppers = async (): Promise<void> => {
    while (isOpen && !isClosed)
      await arrive(nextPath(), MERCHANTS[journeys.length % MERCHANTS.length] ?? MERCHANTS[0])
  }

  /** Returns how many jobs became due, or null if the clock did not reach its target. */
  const advance = async (seconds: number): Promise<number | null> => {
    const moving = { method: 'POST', path: '/sandbox/clock/advance', body: { seconds } }
    const response = await ask(moving, { patience: ADVANCE_PATIENCE })
    // The response may start well before the database becomes unreachable.
    if (!Array.isArray(response?.body.fired)) return null
    return response.body.fired.length
  }

  const moveClock = async (): Promise<void> => {
    const steps = seededRandom(seed, 'time')
    while (isOpen && !isClosed) {
      await advance(1 + steps.below(20))
      await pause(250)
    }
  }

  const listStranded = (): readonly Journey[] => journeys.filter(({ hasEnded }) => !hasEnded)

  return {
    journeys,
    merchants,
    count: context.count,
    arrive,
    start: (shoppers) => {
      running = Promise.all([
        ...(hasMovingClock ? [moveClock()] : []),
        ...Array.from({ length: shoppers }, runShoppers),
      ])
      running.catch((cause: unknown) => onViolation(`A shopper broke down: ${String(cause)}`))
    },
    stopArrivals: () => {
      isOpen = false
    },
    waitForShoppers: async (within) => {
      for (const until = Date.now() + within; listStranded().length > 0 && Date.now() < until; ) {
        await advance(20)
        await pause(200)
      }
      for (const { orderRef, name, last } of listStranded())
        onViolation(`${orderRef} (${name}) gets no further than ${last || 'nothing'}.`)
      isClosed = true
      await running
    },
    isClosed: context.isClosed,
    advanceWeeks: async () => {
      // A move goes on without a shop that is silent, and an order that its answer decides waits.
      while (merchants.keepsWaiting()) await pause(50)
      // The server may still be storing the last answer during the first move.
      for (let weeks = 0, quiet = 0; quiet < 2 && weeks < WEEKS_MAX; weeks += 1) {
        quiet = (await advance(8 * DAY)) === 0 ? quiet + 1 : 0
        await pause(200)
      }
    },
    reconcileRun: (snapshot) => {
      const account = ledger.close(snapshot, merchants.received, url)
      for (const fault of account.faults) onViolation(fault)
      const placed = journeys.filter(({ orderRef }) => orderRef !== '').length
      const { unansweredPlaces } = context.count
      if (account.orders.length < placed || account.orders.length > placed + unansweredPlaces)
        onViolation(
          `There are ${account.orders.length} orders, of ${placed} placed and ${unansweredPlaces} unanswered.`,
        )
      return {
        ...context.count,
        account,
        placed,
        answerCount: ledger.factCount(),
      }
    },
    close: async () => {
      isClosed = true
      await merchants.close()
    },
  }
}
