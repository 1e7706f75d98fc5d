// One crash run: shoppers use the real process, which is killed and restarted again and again on the same file and port. Then
// everything is driven to its end and compared with the journals.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@plazo/adapters/sqlite'
import { freePort } from '../../harness/free-port.ts'
import { expectedOrders } from '../../harness/ledger/expected-orders.ts'
import type { Reconciliation } from '../../harness/ledger/reconcile.ts'
import { inspectCopy, openSqliteSnapshot } from '../../harness/ledger/sqlite-snapshot.ts'
import { addMerchants } from '../../harness/merchants.ts'
import { seededRandom } from '../../harness/seeded-random.ts'
import { startLoad } from '../load.ts'
import { ALL_KILL_POINTS, type KillAt, killOnce, plannedKills } from './kills.ts'
import { type ServerProcess, startServerProcess, urlOf } from './server-process.ts'

type CrashOptions = {
  readonly seed: number
  /** Kills at random moments. */
  readonly kills: number
  /** Kills at each named point: those in `points`, or all. */
  readonly each: number
  readonly points?: readonly KillAt[]
  /** Orders in progress at the same time. */
  readonly shoppers: number
  readonly say?: (line: string) => void
}

export type CrashReport = {
  readonly seed: number
  readonly killed: Readonly<Record<string, number>>
  readonly violations: readonly string[]
  readonly placed: number
  /** Requests during which the server died, and how many of them were to place an order. */
  readonly lost: number
  readonly unansweredPlaces: number
  readonly answerCount: number
  readonly account: Reconciliation
  /** The folder of the database, kept only if there were violations. */
  readonly folder: string | null
}

const ENDS_WITHIN = 60_000
const VIOLATIONS_SHOWN = 200

export const crashRun = async ({
  seed,
  kills,
  each,
  points = ALL_KILL_POINTS,
  shoppers,
  say = () => {},
}: CrashOptions): Promise<CrashReport> => {
  const plan = seededRandom(seed, 'kills')
  const folder = mkdtempSync(join(tmpdir(), 'plazo-crash-'))
  const home = { port: await freePort(), file: join(folder, 'plazo.db') }
  const violations = new Set<string>()
  const onViolation = (what: string): void => void violations.add(what)
  const expected = expectedOrders()
  const killed: Record<string, number> = {}
  let life: ServerProcess | null = null
  const onServerStart = (started: ServerProcess): void => {
    life = started
  }

  const file = openSqlite(home.file)
  await addMerchants(file.merchants)
  await file.close()

  let clockAt = 0
  const onTime = (now: number): void => {
    if (now < clockAt) onViolation(`The clock went back by ${clockAt - now} ms.`)
    clockAt = now
  }
  const load = await startLoad({ seed, url: urlOf(home), onViolation, onTime })
  const { journeys, merchants } = load

  const afterEachKill = (count: number): void => {
    const which = count % 10 === 0 ? 'all' : 'moving'
    for (const fault of inspectCopy(home.file, (left) => expected.check(left, journeys, which))) onViolation(fault)
  }

  const killAll = async (): Promise<void> => {
    const planned = plannedKills(plan, kills, each, points)
    let count = 0
    for (const at of planned) {
      const wasReached = await killOnce({ home, merchants, plan, onViolation, onServerStart }, at)
      // The point was not reached. It is still a kill, but not one at this point.
      const reached = wasReached ? at : 'nowhere in particular'
      killed[reached] = (killed[reached] ?? 0) + 1
      count += 1
      afterEachKill(count)
      if (count % 10 === 0 || count === planned.length)
        say(
          `${String(count).padStart(5)} kills of ${planned.length}: ${journeys.length} orders placed, ${expected.lineCount()} journal lines, ${merchants.received.length} requests received, ${violations.size} violations`,
        )
      if (violations.size > VIOLATIONS_SHOWN) return
    }
  }

  /** Lets every shopper reach the end of their path. Deadlines then decide what is left. */
  const driveToTheEnd = async (): Promise<void> => {
    const current = startServerProcess(home, null)
    onServerStart(current)
    if (!(await current.isListening)) return onViolation(`The server does not start again:\n${current.output()}`)
    await load.waitForShoppers(ENDS_WITHIN)
    say('Every shopper has come to an end; now the clock moves past the week.')
    await load.advanceWeeks()
    current.stop()
    const ended = await current.ended
    if (ended !== 0) onViolation(`Told to stop, the server ended with ${ended}:\n${current.output()}`)
    if (current.hasLoggedError()) onViolation(`The server logged an error:\n${current.output()}`)
  }

  try {
    load.start(shoppers)
    await killAll()
    load.stopArrivals()
    await driveToTheEnd()
    const left = openSqliteSnapshot(home.file)
    const totals = load.reconcileRun(left, expected)
    left.close()
    if (violations.size === 0) rmSync(folder, { recursive: true, force: true })
    return {
      seed,
      killed,
      violations: [...violations],
      ...totals,
      folder: violations.size === 0 ? null : folder,
    }
  } finally {
    ;(life as ServerProcess | null)?.kill()
    await load.close()
  }
}
