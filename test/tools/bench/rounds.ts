// Measures contenders in turn, round after round, in the same minutes on the same machine. Every
// other round runs backwards, because each contender finds the machine as the previous one left it,
// for example with a disk that is still writing. A round with too much stolen CPU time is dropped
// and repeated.
import { readFileSync } from 'node:fs'
import type { StoreName, Stores } from './stores.ts'

/** Figures by name, for example `ordersPerSecond` or `p99`. */
export type Sample = Readonly<Record<string, number>>
export type Round = Readonly<Record<string, Sample>>
export type Contenders = Readonly<Record<string, () => Promise<Sample>>>
/** How long, how much and how often: full size when run by hand, small in the gate. */
type Size = 'full' | 'small'

type InRounds = {
  readonly rounds: number
  readonly size: Size
  readonly say: (line: string) => void
}
export type Rounds = { readonly rounds: readonly Round[]; readonly dropped: number }

export const STOLEN_MAX = 0.05

const cpuTime = (): { readonly stolen: number; readonly all: number } => {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0] = line
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return { stolen, all: user + nice + system + idle + wait + irq + soft + stolen }
  } catch {
    return { stolen: 0, all: 0 }
  }
}

/** For an even count, the mean of the two middle values. */
export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const upper = Math.floor(sorted.length / 2)
  const lower = sorted.length % 2 === 1 ? upper : upper - 1
  return ((sorted[lower] ?? Number.NaN) + (sorted[upper] ?? Number.NaN)) / 2
}

const formatSample = (sample: Sample): string =>
  Object.entries(sample)
    .map(
      ([name, value]) =>
        `${name} ${value >= 100 ? Math.round(value) : Number(value.toPrecision(3))}`,
    )
    .join('  ')

export const inRounds = async (
  contenders: Contenders,
  { rounds: count, size, say }: InRounds,
): Promise<Rounds> => {
  const rounds: Round[] = []
  let dropped = 0
  while (rounds.length < count) {
    const before = cpuTime()
    const inTurn = Object.entries(contenders)
    const measured = new Map<string, Sample>()
    for (const [name, measure] of rounds.length % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const sample = await measure()
      measured.set(name, sample)
      say(`  ${name.padEnd(26)} ${formatSample(sample)}`)
    }
    const round = Object.fromEntries(inTurn.flatMap(([name]) => [[name, measured.get(name) ?? {}]]))
    const after = cpuTime()
    const stolen = (after.stolen - before.stolen) / Math.max(1, after.all - before.all)
    // The figures of a small run are not kept.
    if (stolen <= STOLEN_MAX || size === 'small') rounds.push(round)
    else {
      dropped += 1
      say(`  dropped: ${(stolen * 100).toFixed(1)} % of the CPU time was stolen`)
      if (dropped > count && rounds.length === 0)
        throw new Error('The machine is too busy elsewhere to be measured on.')
      if (dropped > count) break
    }
  }
  return { rounds, dropped }
}

export type PartOptions = InRounds & {
  readonly stores: Stores
  /** The stores on which plazo is measured. */
  readonly on: readonly StoreName[]
  /** Also measures peers, which are installed for it. */
  readonly peers: boolean
  /** How many orders are stored, for parts that fill a database with any number. */
  readonly orders?: number
}

/**
 * Facts are counted once and not measured in rounds. Notes are sentences printed with the figures.
 */
export type PartResult = Rounds & { readonly facts?: Sample; readonly notes?: readonly string[] }

export type Part = {
  readonly name: string
  readonly about: string
  readonly measure: (options: PartOptions) => Promise<PartResult>
}
