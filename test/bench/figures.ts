// What is told of the kept rounds: medians, and ratios, which are taken within each round.
import type { Result } from './results.ts'
import { median, type Round, type Rounds } from './rounds.ts'

export type Spread = { readonly median: number; readonly low: number; readonly high: number }

const spread = (numbers: readonly number[]): Spread => ({
  median: median(numbers),
  low: Math.min(...numbers),
  high: Math.max(...numbers),
})

export const UNITS: Readonly<Record<string, string>> = {
  ordersPerSecond: 'orders/s',
  submissionsPerSecond: 'submissions/s',
  deliveriesPerSecond: 'deliveries/s',
  stepsPerSecond: 'steps/s',
  pollsPerSecond: 'polls/s',
  answersPerSecond: 'answers/s',
  answersPerFlush: 'answers to a flush',
  readyMillis: 'ms until ready',
  microsecondsPerEntry: 'µs an entry',
  entries: 'entries',
  p50: 'p50 ms',
  p99: 'p99 ms',
  idleMegabytes: 'MB idle',
  openMegabytes: 'MB then',
  openOrders: 'orders open',
}

export const contendersOf = ({ rounds }: Rounds): readonly string[] => Object.keys(rounds[0] ?? {})

export const figureNamesOf = ({ rounds }: Rounds): readonly string[] => [
  ...new Set(Object.values(rounds[0] ?? {}).flatMap((sample) => Object.keys(sample))),
]

const valueIn = (round: Round, contender: string, figure: string): number => round[contender]?.[figure] ?? Number.NaN

export const figureOf = ({ rounds }: Result, contender: string, figure: string): Spread =>
  spread(rounds.map((round) => valueIn(round, contender, figure)))

/** `of`: divided by `to`. `wanted`: what we hold ourselves to, in words. */
type Comparison = { readonly of: string; readonly to: string; readonly figure?: string; readonly wanted: string }

const on = (store: string, to: string, wanted: string): Comparison => ({ of: `plazo on ${store}`, to, wanted })

// By part; the figure is the part's first unless named.
const COMPARISONS: Readonly<Record<string, readonly Comparison[]>> = {
  submissions: [
    on('SQLite', 'bare group commit on SQLite', 'at least 0.45'),
    on('PostgreSQL', 'bare group commit on PostgreSQL', 'at least 0.35'),
  ],
  orders: [
    on('SQLite', 'DBOS Transact', 'at least 20'),
    on('SQLite', 'Restate', 'at least 5'),
    on('PostgreSQL', 'DBOS Transact', 'at least 12'),
    on('PostgreSQL', 'Restate', ''),
  ],
  deliveries: [
    on('SQLite', 'graphile-worker', 'at least 1.2'),
    on('PostgreSQL', 'graphile-worker', 'at least 0.9'),
    on('SQLite', 'node:http, no store', 'at least 0.5'),
    on('PostgreSQL', 'node:http, no store', ''),
  ],
  polls: [on('SQLite', 'bare Hono, a constant', ''), on('PostgreSQL', 'bare Hono, a constant', '')],
  'start-up': [on('SQLite', 'bare Hono', ''), on('PostgreSQL', 'bare Hono', '')],
  growth: ['SQLite', 'PostgreSQL'].flatMap((store) =>
    ['100,000', '1,000,000'].map((orders) => ({
      of: `${store}, ${orders} orders stored`,
      to: `${store}, 1,000 orders stored`,
      wanted: 'at least 0.85',
    })),
  ),
  nodes: [
    { of: '2 nodes', to: '1 node', wanted: '' },
    { of: '3 nodes', to: '1 node', wanted: 'at least 0.9' },
  ],
  claims: ['SQLite', 'PostgreSQL'].map((store) => ({
    of: `${store}, many finished deliveries`,
    to: `${store}, few finished deliveries`,
    wanted: 'at most 1.05',
  })),
}

export type Ratio = Comparison & Spread

export const ratiosOf = (result: Result): readonly Ratio[] => {
  const contenders = new Set(contendersOf(result))
  return (COMPARISONS[result.part] ?? [])
    .filter(({ of, to }) => contenders.has(of) && contenders.has(to))
    .map((comparison) => {
      const figure = comparison.figure ?? figureNamesOf(result)[0] ?? ''
      const of = (round: Round): number => valueIn(round, comparison.of, figure)
      return {
        ...comparison,
        ...spread(result.rounds.map((round) => of(round) / valueIn(round, comparison.to, figure))),
      }
    })
}
