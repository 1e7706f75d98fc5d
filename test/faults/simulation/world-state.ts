// The state that all parts of a simulated world share: its time, its story, its faults and its
// orders. The faults are drawn in advance, and each can be left out, to find out if a violation
// needs it.
import { SIMULATED_FAULTS, type SimulatedFault } from '../../harness/faults.ts'
import { type Ledger, openLedger } from '../../harness/ledger/ledger.ts'
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts'
import { createEventLog, type EventLog } from './event-log.ts'
import { DAY, type Plan, planOf } from './order-plan.ts'
import { scheduler as newScheduler, type Scheduler } from './scheduler.ts'

export type WorldState = {
  readonly scheduler: Scheduler
  readonly eventLog: EventLog
  readonly faultLevels: FaultLevels
  /** The plan of each order, by the order's number. */
  readonly plans: ReadonlyMap<number, Plan>
  /** Each order's number, by its uuid. The store adds an order when it is placed. */
  readonly numbers: Map<string, number>
  /** What everybody was told about each order. */
  readonly ledger: Ledger
  /**
   * The random stream for one use by one order, so that leaving out another order changes nothing
   * here.
   */
  readonly stream: (order: number, use: string) => SeededRandom
}

/** `busyFor`: all orders are placed in this many milliseconds. */
export const createWorldState = (
  seed: number,
  orders: readonly number[],
  busyFor: number,
): WorldState => {
  const scheduler = newScheduler()
  const streams = new Map<string, SeededRandom>()
  return {
    scheduler,
    eventLog: createEventLog(scheduler.now),
    faultLevels: {
      isCalm: false,
      badNetwork: 0,
      providersFail: 0,
      slowDisk: 0,
      fullDisk: 0,
      failingCommits: 0,
    },
    plans: new Map(orders.map((number) => [number, planOf(seed, number, busyFor)] as const)),
    numbers: new Map(),
    ledger: openLedger({ hasOldForms: true }),
    stream: (order, use) => {
      const name = `order ${order} ${use}`
      const stream = streams.get(name) ?? seededRandom(seed, name)
      streams.set(name, stream)
      return stream
    },
  }
}

export type Fault = {
  readonly number: number
  readonly kind: SimulatedFault
  readonly at: number
  /** How long it lasts, or how far the clock is moved. */
  readonly millis: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND

/** The instant after which there are no more faults. */
export const FAULTS_END = 4 * DAY

const [FIRST_KIND, ...OTHER_KINDS] = Object.keys(SIMULATED_FAULTS) as [
  SimulatedFault,
  ...SimulatedFault[],
]

/** Most happen while the shop is busy, some in the following days of retries. */
export const faultsOf = (seed: number, count: number, busyFor: number): readonly Fault[] => {
  const draw = seededRandom(seed, 'faults')
  return Array.from({ length: count }, (_, number) => {
    const kind = draw.pick([FIRST_KIND, ...OTHER_KINDS])
    const at = draw.below(4) === 0 ? draw.below(FAULTS_END) : draw.below(busyFor)
    return { number, kind, at, millis: draw.pick<number>(SIMULATED_FAULTS[kind]) }
  }).toSorted((a, b) => a.at - b.at)
}

/** True if a code may expire before the server works again. */
export const outlivesCodes = ({ kind, millis }: Fault): boolean =>
  ['crash', 'freeze', 'clock jump'].includes(kind) && millis >= 3 * MINUTE

export const formatFault = ({ kind, millis }: Fault): string => `${kind} (${millis / SECOND} s)`

/** The conditions that faults set. Everything that draws failures reads them. */
export type FaultLevels = {
  isCalm: boolean
  badNetwork: number
  providersFail: number
  slowDisk: number
  fullDisk: number
  failingCommits: number
}

/** True if the store may currently report that it is unavailable. */
export const storeMayFail = ({ fullDisk, failingCommits }: FaultLevels): boolean =>
  fullDisk > 0 || failingCommits > 0
