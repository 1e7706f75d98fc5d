// Measures contenders in turn, round after round, in the same minutes on the same machine. Every
// other round runs backwards, because each contender finds the machine as the previous one left it,
// for example with a disk that is still writing. Ratios are taken within a round.
import type { StoreName, Stores } from './stores.ts'

/** Figures by name, for example `ordersPerSecond` or `p99`. The first one is compared. */
export type Sample = Readonly<Record<string, number>>
/** `to`: the contenders that it is compared with. */
export type Contender = { readonly measure: () => Promise<Sample>; readonly to?: readonly string[] }
type Contenders = Readonly<Record<string, Contender>>

export type PartOptions = {
  readonly stores: Stores
  /** The stores on which plazo is measured. */
  readonly on: readonly StoreName[]
  /** Also measures peers, which are installed for it. */
  readonly peers: boolean
  readonly rounds: number
  /** How long, how much and how often: small is a check that a part works. */
  readonly size: 'full' | 'small'
  readonly say: (line: string) => void
}

type Round = Readonly<Record<string, Sample>>

export type Part = {
  readonly about: string
  readonly measure: (options: PartOptions) => Promise<void>
}

/** For an even count, the mean of the two middle values. */
const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  return (at((sorted.length - 1) >> 1) + at(sorted.length >> 1)) / 2
}

const formatNumber = (value: number): string =>
  String(value >= 100 ? Math.round(value) : Number(value.toPrecision(3)))

const formatSample = (sample: Sample): string =>
  Object.entries(sample)
    .map(([name, value]) => `${name} ${formatNumber(value)}`)
    .join('  ')

const firstFigure = (sample: Sample = {}): number => Object.values(sample)[0] ?? Number.NaN

const sayMedians = (
  contenders: Contenders,
  rounds: readonly Round[],
  say: PartOptions['say'],
): void => {
  for (const [name, { to = [] }] of Object.entries(contenders)) {
    const figures = Object.keys(rounds[0]?.[name] ?? {}).map((figure) => [
      figure,
      median(rounds.map((round) => round[name]?.[figure] ?? Number.NaN)),
    ])
    const ratios = to
      .filter((other) => other in contenders)
      .map((other) => {
        const ratio = median(
          rounds.map((round) => firstFigure(round[name]) / firstFigure(round[other])),
        )
        return `${formatNumber(ratio)} × ${other}`
      })
    say(`| ${[name, formatSample(Object.fromEntries(figures)), ratios.join('; ')].join(' | ')} |`)
  }
}

export const inRounds = async (
  contenders: Contenders,
  { rounds: count, say }: PartOptions,
): Promise<void> => {
  const rounds: Round[] = []
  while (rounds.length < count) {
    const inTurn = Object.entries(contenders)
    const round: Record<string, Sample> = {}
    for (const [name, { measure }] of rounds.length % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const sample = await measure()
      round[name] = sample
      say(`  ${name.padEnd(26)} ${formatSample(sample)}`)
    }
    rounds.push(round)
  }
  sayMedians(contenders, rounds, say)
}
