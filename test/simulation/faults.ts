// The faults of a world, drawn beforehand: each can be left out, to see whether a story needs it.
import { seeded } from '../crash/seeded.ts'
import { DAY, HOUR } from './plan.ts'

export type FaultKind =
  /** The process is gone at this instant, or at the next of these points, and comes back after `millis`. */
  | 'crash'
  | 'crash before a commit'
  | 'crash after a commit'
  | 'crash after a claim'
  | 'crash once carried out'
  /** Told to stop, it finishes what is in flight. */
  | 'restart'
  /** The whole process stands still. */
  | 'freeze'
  | 'slow disk'
  | 'full disk'
  | 'failing commits'
  /** Somebody sets the machine's clock, forward or back. */
  | 'clock jump'
  /** Much is lost on the way, between everybody. */
  | 'bad network'
  /** The deciders fail, hang, and lose their answers. */
  | 'providers fail'

export type Fault = {
  readonly number: number
  readonly kind: FaultKind
  readonly at: number
  /** How long it lasts, or how far the clock goes. */
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
export const CALM = 4 * DAY

/** Most come while the shop is full, some in the days of retries that follow. */
export const faultsOf = (seed: number, count: number, busyFor: number): readonly Fault[] => {
  const draw = seeded(seed, 'faults')
  return Array.from({ length: count }, (_, number) => {
    const kind = draw.among(KINDS)
    const at = draw.below(4) === 0 ? draw.below(CALM) : draw.below(busyFor)
    return { number, kind, at, millis: draw.among(MILLIS[kind]) }
  }).toSorted((a, b) => a.at - b.at)
}

/** Whether a code may be void before the server can do anything again. */
export const outlivesCodes = ({ kind, millis }: Fault): boolean =>
  ['crash', 'freeze', 'clock jump'].includes(kind) && millis >= 3 * MINUTE

export const toldFault = ({ kind, millis }: Fault): string => `${kind} (${millis / SECOND} s)`
