// One crash run: shoppers at work on the real process, which is killed again and again and restarted on the same file
// and port; then everything is driven to its end, and held against what the journals say.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openSqlite } from '@plazo/adapters/sqlite'
import { freePort } from '../support/free-port.ts'
import { shopAt } from '../support/shop.ts'
import { lookAt, openCrashFile } from './crash-file.ts'
import { type Account, finalAccount } from './final-account.ts'
import { hear } from './hearing.ts'
import { type KillAt, killOnce, NAMED, plannedKills } from './kills.ts'
import { memoryOfOrders } from './memory-of-orders.ts'
import { ACCOUNT, addMerchants, MERCHANTS, startReceivers } from './merchants.ts'
import { type Life, startLife, urlOf } from './mortal-process.ts'
import { PATHS } from './paths.ts'
import { seeded } from './seeded.ts'
import { type Journey, startJourney, type Trade } from './shoppers.ts'

type CrashOptions = {
  readonly seed: number
  /** Kills at random moments. */
  readonly kills: number
  /** Kills at each named point; those of `points`, or all. */
  readonly each: number
  readonly points?: readonly KillAt[]
  /** Orders under way at a time. */
  readonly shoppers: number
  readonly say?: (line: string) => void
}

export type CrashReport = {
  readonly seed: number
  readonly killed: Readonly<Record<string, number>>
  readonly violations: readonly string[]
  readonly placed: number
  /** Requests that the server died over, and those of them that were to place an order. */
  readonly lost: number
  readonly unansweredPlaces: number
  readonly told: number
  readonly account: Account
  /** The folder of the database, kept where something was violated. */
  readonly folder: string | null
}

// A week of everybody's retries is walked from one to the next.
const A_LONG_WAY = 1_200_000
const ENDS_WITHIN = 60_000
const VIOLATIONS_SHOWN = 200
const DAY = 24 * 3600
// Requests of one lane follow one another: at an endpoint that is always down, each has a week of its own.
const WEEKS_MAX = 20

export const crashRun = async ({
  seed,
  kills,
  each,
  points = NAMED,
  shoppers,
  say = () => {},
}: CrashOptions): Promise<CrashReport> => {
  const plan = seeded(seed, 'kills')
  const folder = mkdtempSync(join(tmpdir(), 'plazo-crash-'))
  const home = { port: await freePort(), file: join(folder, 'plazo.db') }
  const url = urlOf(home)
  const shop = shopAt(url, ACCOUNT)
  const violations = new Set<string>()
  const onViolation = (what: string): void => void violations.add(what)
  const memory = memoryOfOrders()
  const killed: Record<string, number> = {}
  const journeys: Journey[] = []
  let isMarketOpen = true
  let isClosed = false
  let life: Life | null = null
  const onLife = (begun: Life): void => {
    life = begun
  }

  const file = openSqlite(home.file)
  await addMerchants(file.merchants)
  await file.close()
  const receivers = await startReceivers(async (orderRef) => {
    const merchant = journeys.findIndex((journey) => journey.orderRef === orderRef)
    const body = { merchant: { id: MERCHANTS[merchant % MERCHANTS.length] }, state: 'confirmed' }
    await hear(shop.put(orderRef, body), { onViolation })
  })
  const trade: Trade = {
    url,
    receivers,
    seeded: seeded(seed, 'shoppers'),
    onViolation,
    count: { lost: 0, unansweredPlaces: 0 },
    isClosed: () => isClosed,
  }

  // Every path in turn, in an order of its own each round.
  const rounds = seeded(seed, 'paths')
  let round: typeof PATHS = []
  const nextPath = (): (typeof PATHS)[number] => {
    if (round.length === 0) round = rounds.shuffled(PATHS)
    const [first = PATHS[0], ...rest] = round
    round = rest
    if (first === undefined) throw new Error('There are no paths.')
    return first
  }

  const shopping = async (): Promise<void> => {
    while (isMarketOpen && !isClosed) {
      const { journey, walked } = startJourney(trade, nextPath(), journeys.length)
      journeys.push(journey)
      await walked
    }
  }

  let clockAt = 0
  /** How many effects fell due on the way; none where nobody answered. */
  const advance = async (seconds: number): Promise<number> => {
    const heard = await hear(shop.send('POST', '/sandbox/clock/advance', { seconds }), {
      onViolation,
      patience: A_LONG_WAY,
    })
    if (heard === null || heard.status !== 200) return 0
    const now = Date.parse(String(heard.body.now))
    if (now < clockAt) onViolation(`The clock went back by ${clockAt - now} ms.`)
    clockAt = now
    return (heard.body.fired as readonly unknown[]).length
  }

  const timeGoesBy = async (): Promise<void> => {
    const steps = seeded(seed, 'time')
    while (isMarketOpen && !isClosed) {
      await advance(1 + steps.below(20))
      await pause(250)
    }
  }

  const afterEachKill = (count: number): void => {
    const which = count % 10 === 0 ? 'all' : 'moving'
    for (const fault of lookAt(home.file, (left) => memory.check(left, journeys, which))) onViolation(fault)
  }

  const killAll = async (): Promise<void> => {
    const planned = plannedKills(plan, kills, each, points)
    let count = 0
    for (const at of planned) {
      const isThere = await killOnce({ home, receivers, plan, onViolation, onLife }, at)
      // Nothing came by this point: it is a kill all the same, but not one of those.
      const as = isThere ? at : 'nowhere in particular'
      killed[as] = (killed[as] ?? 0) + 1
      count += 1
      afterEachKill(count)
      if (count % 10 === 0 || count === planned.length)
        say(
          `${String(count).padStart(5)} kills of ${planned.length}: ${journeys.length} orders placed, ${memory.lineCount()} journal lines, ${receivers.received.length} requests received, ${violations.size} violations`,
        )
      if (violations.size > VIOLATIONS_SHOWN) return
    }
  }

  const hasUnended = (): boolean => journeys.some(({ hasEnded }) => !hasEnded)

  /** Everybody comes to where his path leads; then time decides about what is left, a merchant's week for each request. */
  const driveToTheEnd = async (markets: Promise<unknown>): Promise<void> => {
    const current = startLife(home, null)
    onLife(current)
    if (!(await current.isListening)) return onViolation(`The server does not start again:\n${current.output()}`)
    for (const until = Date.now() + ENDS_WITHIN; hasUnended() && Date.now() < until; ) {
      await advance(20)
      await pause(200)
    }
    for (const { hasEnded, orderRef, path, last } of journeys)
      if (!hasEnded) onViolation(`${orderRef} (${path.name}) gets no further than ${last || 'nothing'}.`)
    isClosed = true
    await markets
    say('Every shopper has come to an end; now the clock moves past the week.')
    for (let weeks = 0; (await advance(8 * DAY)) > 0 && weeks < WEEKS_MAX; ) weeks += 1
    current.stop()
    const ended = await current.ended
    if (ended !== 0) onViolation(`Told to stop, the server ended with ${ended}:\n${current.output()}`)
    if (current.hasErred()) onViolation(`The server logged an error:\n${current.output()}`)
  }

  try {
    const markets = Promise.all([timeGoesBy(), ...Array.from({ length: shoppers }, shopping)])
    markets.catch((cause: unknown) => onViolation(`A shopper broke down: ${String(cause)}`))
    await killAll()
    isMarketOpen = false
    await driveToTheEnd(markets)
    const left = openCrashFile(home.file)
    for (const fault of memory.check(left, journeys, 'all')) onViolation(fault)
    const account = finalAccount(left, receivers.received, url)
    left.close()
    for (const fault of account.faults) onViolation(fault)
    const placed = journeys.filter(({ orderRef }) => orderRef !== '').length
    if (account.orders < placed || account.orders > placed + trade.count.unansweredPlaces)
      onViolation(
        `There are ${account.orders} orders, of ${placed} placed and ${trade.count.unansweredPlaces} unanswered.`,
      )
    if (violations.size === 0) rmSync(folder, { recursive: true, force: true })
    return {
      seed,
      killed,
      violations: [...violations],
      placed,
      lost: trade.count.lost,
      unansweredPlaces: trade.count.unansweredPlaces,
      told: journeys.reduce((sum, { told }) => sum + told.length, 0),
      account,
      folder: violations.size === 0 ? null : folder,
    }
  } finally {
    isClosed = true
    ;(life as Life | null)?.kill()
    await receivers.close()
  }
}
