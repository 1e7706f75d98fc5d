// Runs one simulated world: shoppers, merchants and providers around the real server, in simulated
// time, with faults drawn from a seed. It is at rest when nobody is at work and no job is left.
import type { FullStore } from '@plazo/core/ports'
import { seededRandom } from '../../harness/seeded-random.ts'
import type { EventLine, Tally, Violation } from './event-log.ts'
import { merchantsOf } from './merchants.ts'
import { networkOf } from './network.ts'
import { observedLog, observedServer } from './observed-server.ts'
import { observedStore } from './observed-store.ts'
import { DAY, HOUR } from './order-plan.ts'
import { createPeople, type People } from './people.ts'
import { createProcessLifecycle, type ProcessLifecycle } from './process-lifecycle.ts'
import { type Refunds, unreliableProviders } from './providers.ts'
import { reconcileWorld } from './reconcile.ts'
import { EPOCH, firstImage, idsOf, startServerProcess } from './server-process.ts'
import { createWorldState, faultsOf, outlivesCodes, type WorldState } from './world-state.ts'

export type WorldOptions = {
  readonly seed: number
  /** The numbers of the orders to place. */
  readonly orders: readonly number[]
  /** The numbers of the faults to apply; null applies all. */
  readonly faults: readonly number[] | null
  /** Wraps the store, to plant a bug. */
  readonly store?: (store: FullStore) => FullStore
}

export type Outcome = {
  readonly violations: readonly Violation[]
  readonly digest: string
  readonly tally: Tally
  readonly lines: readonly EventLine[]
  readonly steps: number
  /** Milliseconds of simulated time. */
  readonly lasted: number
}

export const FAULTS = 24
const BUSY_FOR = 2 * HOUR
const LASTS_AT_MOST = 500 * DAY
const STEPS_AT_MOST = 3_000_000

export const runWorld = async ({
  seed,
  orders,
  faults: chosenFaults,
  store: plant = (store) => store,
}: WorldOptions): Promise<Outcome> => {
  const world = createWorldState(seed, orders, BUSY_FOR)
  const { scheduler, eventLog, faultLevels, numbers, ledger } = world
  const refunds: Refunds = new Map()
  const providerKeys = new Set<string>()
  const ids = idsOf(seededRandom(seed, 'ids'))
  const draw = seededRandom(seed, 'life')
  const wallNow = (): number => Math.floor(EPOCH + scheduler.now() + lifecycle.skew())

  const lifecycle: ProcessLifecycle = createProcessLifecycle(world, await firstImage(), (image) =>
    startServerProcess(image, world, {
      draw,
      ids,
      realNow: wallNow,
      exchange: merchants.exchange,
      providers: (given) => unreliableProviders(world, { refunds, keys: providerKeys }, given),
      store: observedStore(world, plant),
      log: observedLog(world, lifecycle.isServing),
      onPoint: lifecycle.onPoint,
      frozenFor: lifecycle.frozenFor,
    }),
  )
  const network = networkOf(world, observedServer(world, lifecycle))
  const people = createPeople(world, network)
  const merchants = merchantsOf(world, {
    network,
    put: people.put,
  })

  people.startShopping()
  const faults = faultsOf(seed, FAULTS, BUSY_FOR).filter(
    ({ number }) => chosenFaults === null || chosenFaults.includes(number),
  )
  for (const fault of faults) scheduler.after(fault.at, () => lifecycle.applyFault(fault))
  people.startDraining(() => {
    faultLevels.isCalm = true
    lifecycle.disarm()
    eventLog.log(null, 'CALM: nothing goes wrong any more')
  })

  await runUntilRest(world, lifecycle, people)
  const image = lifecycle.finalImage()
  if (isLawful(world))
    for (const { law, orderRef, sentence } of await reconcileWorld({
      image,
      ledger,
      refunds,
      providerKeys,
      eventLog,
      requests: merchants.requests,
      outlivesCodes: faults.some(outlivesCodes),
    }))
      eventLog.reportViolation(law, numbers.get(orderRef) ?? null, sentence)
  return {
    violations: eventLog.violations,
    digest: eventLog.digest(),
    tally: eventLog.tally(),
    lines: eventLog.lines,
    steps: scheduler.steps(),
    lasted: scheduler.now(),
  }
}

const isLawful = ({ eventLog }: WorldState): boolean => eventLog.violations.length === 0

const NEVER = Number.POSITIVE_INFINITY

/** Runs the world, process after process, until nothing is left to do or a law is broken. */
const runUntilRest = async (
  world: WorldState,
  lifecycle: ProcessLifecycle,
  people: People,
): Promise<void> => {
  const { scheduler, eventLog } = world
  let isAtRest = false
  while (
    !isAtRest &&
    isLawful(world) &&
    scheduler.now() < LASTS_AT_MOST &&
    scheduler.steps() < STEPS_AT_MOST
  ) {
    await lifecycle.advance()
    const current = lifecycle.current()
    const next = scheduler.next()
    if (next === null) break
    // A stopping server waits for the same timers as one that polls. If they were postponed, it
    // would never end.
    const isIdle =
      current !== null && !current.isDead() && !lifecycle.isStopping() && current.inFlight() === 0
    if (isIdle && next.turn !== 'other' && current.database.open) {
      const dueAt = current.nextDueAt()
      const other = scheduler.nextOther()
      const dueIn = dueAt === null ? NEVER : dueAt - EPOCH - lifecycle.skew()
      isAtRest = dueAt === null && other === NEVER && people.atWork() === 0
      // A poll waits until a job is due or something else happens.
      const until = Math.min(dueIn, other)
      if (!isAtRest && until < NEVER && until > next.dueAt) {
        scheduler.putOff(until)
        continue
      }
    }
    await scheduler.step()
  }
  if (!isAtRest && isLawful(world))
    eventLog.reportViolation(
      'everything comes to rest',
      null,
      `After ${scheduler.now() / DAY} days and ${scheduler.steps()} steps, ${people.atWork()} are still at work.`,
    )
}
