// One cluster run: shoppers send requests to servers on one database, while a plan of faults
// disturbs them. Then everything is driven to its end and compared with the journals.
import { openLedger } from '../../harness/ledger/ledger.ts'
import type { DatabaseSnapshot } from '../../harness/ledger/snapshot.ts'
import type { openClient } from './journeys.ts'
import { type Load, type RunTotals, startLoad } from './load.ts'

type PlanParts = {
  readonly seed: number
  readonly onViolation: (what: string) => void
  readonly violationCount: () => number
  readonly say: (line: string) => void
}

/**
 * `remember` notes what the clients know by now. The returned function compares a later snapshot
 * with it.
 */
type Remember = () => (snapshot: DatabaseSnapshot) => void

type Cluster<Facts> = Pick<Parameters<typeof openClient>[0], 'url' | 'fetch'> & {
  readonly pollsAfter?: number
  /** False: shoppers have real time only, because only a single server has a clock that moves. */
  readonly hasMovingClock: boolean
  /** Milliseconds in which every shopper must reach their end once the faults are over. */
  readonly endsWithin: number
  /** Applies the whole plan under load. */
  readonly disturb: (load: Load, remember: Remember) => Promise<void>
  /** The faults are over: one server runs, which moves the clock past the week. */
  readonly recover: () => Promise<void>
  readonly stop: () => Promise<void>
  readonly snapshot: () => Promise<DatabaseSnapshot>
  /** What this plan reports, from the database as it is at the end. */
  readonly facts: (snapshot: DatabaseSnapshot) => Promise<Facts>
  readonly close: () => Promise<void>
}

/** A plan opens its own database and servers. */
export type FaultPlan<Facts> = (parts: PlanParts) => Promise<Cluster<Facts>>

type ClusterOptions<Facts> = {
  readonly seed: number
  /** Orders in progress at the same time. 0: the plan itself lets shoppers arrive. */
  readonly shoppers: number
  readonly plan: FaultPlan<Facts>
  readonly say?: (line: string) => void
}

type ClusterReport<Facts> = RunTotals & {
  readonly seed: number
  readonly violations: readonly string[]
  readonly facts: Facts
}

export const clusterRun = async <Facts>({
  seed,
  shoppers,
  plan,
  say = () => {},
}: ClusterOptions<Facts>): Promise<ClusterReport<Facts>> => {
  const violations = new Set<string>()
  const onViolation = (what: string): void => void violations.add(what)
  const ledger = openLedger()
  const cluster = await plan({ seed, onViolation, violationCount: () => violations.size, say })
  const load = await startLoad({ seed, ledger, onViolation, ...cluster })
  const remember: Remember = () => {
    const check = ledger.remember()
    return (snapshot) => {
      for (const fault of check(snapshot)) onViolation(fault)
    }
  }
  try {
    if (shoppers > 0) load.start(shoppers)
    await cluster.disturb(load, remember)
    load.stopArrivals()
    await cluster.recover()
    await load.waitForShoppers(cluster.endsWithin)
    say('Every shopper has come to an end; now the clock moves past the week.')
    await load.advanceWeeks()
    await cluster.stop()
    const snapshot = await cluster.snapshot()
    const totals = load.reconcileRun(snapshot)
    const facts = await cluster.facts(snapshot)
    return { seed, ...totals, facts, violations: [...violations] }
  } finally {
    await load.close()
    await cluster.close()
  }
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Prints the totals, in the same words for `pnpm crash` and `pnpm nodes`. */
export const reportRun = ({ account, facts, seed: _, ...totals }: ClusterReport<object>): void => {
  const { orders, lines, effects, requests } = account
  const counts = { ...totals, stored: orders.length, lines, effects, requests, ...facts }
  say(JSON.stringify(counts, null, 2))
}

/** Prints the outcome of all checks. The exit code is 1 if one has failed. */
export const reportViolations = (
  violations: readonly string[],
  success: string,
  command: string,
): void => {
  if (violations.length === 0) say(success)
  else {
    process.exitCode = 1
    say(`\n${violations.length} violations:\n${violations.slice(0, 50).join('\n')}`)
    say(`\nAgain, with the same plan:\n  ${command}`)
  }
}
