// The faults of a simulated world, drawn in advance, and how bad the conditions currently are. Each fault can be left out, to find
// out if a violation needs it.
import { SIMULATED_FAULTS, type SimulatedFault } from '../harness/faults.ts'
import { seededRandom } from '../harness/seeded-random.ts'
import { DAY } from './order-plan.ts'

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

const [FIRST_KIND, ...OTHER_KINDS] = Object.keys(SIMULATED_FAULTS) as [SimulatedFault, ...SimulatedFault[]]

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

export const newFaultLevels = (): FaultLevels => ({
  ...{ isCalm: false, badNetwork: 0, providersFail: 0 },
  ...{ slowDisk: 0, fullDisk: 0, failingCommits: 0 },
})

/** True if the store may currently report that it is unavailable. */
export const storeMayFail = ({ fullDisk, failingCommits }: FaultLevels): boolean => fullDisk > 0 || failingCommits > 0
