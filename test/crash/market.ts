// The market of a run: shoppers who come one after another while it is open, merchants who take their orders, and time
// that goes by, at an address whose server may be gone at any moment. In the end all of it is held to account.
import { setTimeout as pause } from 'node:timers/promises'
import { shopAt } from '../support/shop.ts'
import type { CrashFile } from './crash-file.ts'
import { type Account, finalAccount } from './final-account.ts'
import { hear } from './hearing.ts'
import type { MemoryOfOrders } from './memory-of-orders.ts'
import { ACCOUNT, MERCHANTS, type Receivers, startReceivers } from './merchants.ts'
import { PATHS } from './paths.ts'
import { seeded } from './seeded.ts'
import { type Journey, startJourney, type Trade } from './shoppers.ts'

type MarketOptions = Pick<Trade, 'url' | 'fetch' | 'onViolation'> & {
  readonly seed: number
  /** Told what the sandbox's clock says, where it was moved. */
  readonly onTime?: (now: number) => void
}

type Held = Trade['count'] & {
  readonly account: Account
  readonly placed: number
  readonly told: number
}

type Market = {
  readonly journeys: readonly Journey[]
  readonly receivers: Receivers
  readonly count: Trade['count']
  /** So many shoppers at a time. */
  readonly open: (shoppers: number) => void
  /** Nobody comes any more, and time stands still unless it is moved. */
  readonly shut: () => void
  /** Everybody is led to where his path ends, within so many milliseconds; who is not has been stranded. */
  readonly empty: (within: number) => Promise<void>
  readonly isClosed: () => boolean
  /** Time decides about what is left, a merchant's week for each request. */
  readonly letWeeksGoBy: () => Promise<void>
  /** What was left in the end, against what everybody remembers. */
  readonly hold: (left: CrashFile, memory: MemoryOfOrders) => Held
  readonly close: () => Promise<void>
}

// A week of everybody's retries is walked from one to the next.
const A_LONG_WAY = 1_200_000
const DAY = 24 * 3600
// Requests of one lane follow one another: at an endpoint that is always down, each has a week of its own.
const WEEKS_MAX = 20

/** Every path in turn, in an order of its own each round. */
const pathsFrom = (seed: number): (() => (typeof PATHS)[number]) => {
  const rounds = seeded(seed, 'paths')
  let round: typeof PATHS = []
  return () => {
    if (round.length === 0) round = rounds.shuffled(PATHS)
    const [path, ...rest] = round
    round = rest
    if (path === undefined) throw new Error('There are no paths.')
    return path
  }
}

export const startMarket = async ({ seed, url, fetch, onViolation, onTime }: MarketOptions): Promise<Market> => {
  const shop = shopAt(url, ACCOUNT, fetch)
  const journeys: Journey[] = []
  let isOpen = true
  let isClosed = false
  let everybody: Promise<unknown> = Promise.resolve()

  const receivers = await startReceivers(async (orderRef) => {
    const merchant = journeys.findIndex((journey) => journey.orderRef === orderRef)
    const body = { merchant: { id: MERCHANTS[merchant % MERCHANTS.length] }, state: 'confirmed' }
    await hear(shop.put(orderRef, body), { onViolation })
  })
  const trade: Trade = {
    url,
    ...(fetch !== undefined && { fetch }),
    receivers,
    seeded: seeded(seed, 'shoppers'),
    onViolation,
    count: { lost: 0, unansweredPlaces: 0 },
    isClosed: () => isClosed,
  }
  const nextPath = pathsFrom(seed)

  const shopping = async (): Promise<void> => {
    while (isOpen && !isClosed) {
      const { journey, walked } = startJourney(trade, nextPath(), journeys.length)
      journeys.push(journey)
      await walked
    }
  }

  /** How many effects fell due on the way; null where it did not get to the end. */
  const advance = async (seconds: number): Promise<number | null> => {
    const moved = shop.send('POST', '/sandbox/clock/advance', { seconds })
    const heard = await hear(moved, { onViolation, patience: A_LONG_WAY })
    // It may begin well, and find the database gone on the way.
    if (!Array.isArray(heard?.body.fired)) return null
    onTime?.(Date.parse(String(heard.body.now)))
    return heard.body.fired.length
  }

  const timeGoesBy = async (): Promise<void> => {
    const steps = seeded(seed, 'time')
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
    open: (shoppers) => {
      everybody = Promise.all([timeGoesBy(), ...Array.from({ length: shoppers }, shopping)])
      everybody.catch((cause: unknown) => onViolation(`A shopper broke down: ${String(cause)}`))
    },
    shut: () => {
      isOpen = false
    },
    empty: async (within) => {
      for (const until = Date.now() + within; stranded().length > 0 && Date.now() < until; ) {
        await advance(20)
        await pause(200)
      }
      for (const { orderRef, path, last } of stranded())
        onViolation(`${orderRef} (${path.name}) gets no further than ${last || 'nothing'}.`)
      isClosed = true
      await everybody
    },
    isClosed: trade.isClosed,
    letWeeksGoBy: async () => {
      for (let weeks = 0; (await advance(8 * DAY)) !== 0 && weeks < WEEKS_MAX; ) weeks += 1
    },
    hold: (left, memory) => {
      for (const fault of memory.check(left, journeys, 'all')) onViolation(fault)
      const account = finalAccount(left, receivers.received, url)
      for (const fault of account.faults) onViolation(fault)
      const placed = journeys.filter(({ orderRef }) => orderRef !== '').length
      const { unansweredPlaces } = trade.count
      if (account.orders < placed || account.orders > placed + unansweredPlaces)
        onViolation(`There are ${account.orders} orders, of ${placed} placed and ${unansweredPlaces} unanswered.`)
      return { ...trade.count, account, placed, told: journeys.reduce((sum, { told }) => sum + told.length, 0) }
    },
    close: async () => {
      isClosed = true
      await receivers.close()
    },
  }
}
