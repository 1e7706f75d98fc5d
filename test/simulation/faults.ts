// The faults of a simulated world, drawn in advance. Each can be left out, to find out if a violation needs it.
import { seededRandom } from '../harness/seeded-random.ts'
import { DAY, HOUR } from './order-plan.ts'

export type FaultKind =
  /** The process dies at this instant, or at its next pass of one of these points, and restarts after `millis`. */
  | 'crash'
  | 'crash before a commit'
  | 'crash after a commit'
  | 'crash after a claim'
  | 'crash once carried out'
  /** On SIGTERM it finishes what is in flight. */
  | 'restart'
  /** The whole process stops running for a while. */
  | 'freeze'
  | 'slow disk'
  | 'full disk'
  | 'failing commits'
  /** The machine's clock is set forward or back. */
  | 'clock jump'
  /** Many messages between all parties are lost. */
  | 'bad network'
  /** The providers fail, hang, and lose their answers. */
  | 'providers fail'

export type Fault = {
  readonly number: number
  readonly kind: FaultKind
  readonly at: number
  /** How long it lasts, or how far the clock is moved. */
  readonly millis: number
}

const SECOND = 1000
const MINUTE = 60 * SECOND

const KINDS: readonly [FaultKind, ...FaultKind[]] = [
  'crash',
  'crash before a commit',
  'crash after a commit',
  'crash after a claim',
  'crash once carried out',
  'restart',
  'freeze',
  'slow disk',
  'full disk',
  'failing commits',
  'clock jump',
  'bad network',
  'providers fail',
]

const MILLIS: { readonly [kind in FaultKind]: readonly [number, ...number[]] } = {
  crash: [50, SECOND, 20 * SECOND, 10 * MINUTE],
  'crash before a commit': [50, SECOND, 5 * SECOND],
  'crash after a commit': [50, SECOND, 5 * SECOND],
  'crash after a claim': [50, SECOND, 40 * SECOND],
  'crash once carried out': [50, SECOND, 40 * SECOND],
  restart: [50, SECOND],
  freeze: [5 * SECOND, 70 * SECOND, 200 * SECOND],
  'slow disk': [MINUTE, 5 * MINUTE],
  'full disk': [5 * SECOND, 2 * MINUTE],
  'failing commits': [SECOND, 40 * SECOND, 2 * MINUTE],
  'clock jump': [-2 * SECOND, -MINUTE, 30 * SECOND, 20 * MINUTE, 3 * HOUR],
  'bad network': [MINUTE, 20 * MINUTE, 3 * HOUR],
  'providers fail': [30 * SECOND, 10 * MINUTE, 2 * HOUR],
}

/** The instant after which there are no more faults. */
export const FAULTS_END = 4 * DAY

/** Most happen while the shop is busy, some in the following days of retries. */
export const faultsOf = (seed: number, count: number, busyFor: number): readonly Fault[] => {
  const draw = seededRandom(seed, 'faults')
  return Array.from({ length: count }, (_, number) => {
    const kind = draw.pick(KINDS)
    const at = draw.below(4) === 0 ? draw.below(FAULTS_END) : draw.below(busyFor)
    return { number, kind, at, millis: draw.pick(MILLIS[kind]) }
  }).toSorted((a, b) => a.at - b.at)
}

/** True if a code may expire before the server works again. */
export const outlivesCodes = ({ kind, millis }: Fault): boolean =>
  ['crash', 'freeze', 'clock jump'].includes(kind) && millis >= 3 * MINUTE

export const formatFault = ({ kind, millis }: Fault): string => `${kind} (${millis / SECOND} s)`
