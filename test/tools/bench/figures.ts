// Computes the published figures from the stored rounds: medians, and ratios taken within each
// round.
import type { Result } from './results.ts'
import { median, type Round, type Rounds } from './rounds.ts'

type Spread = { readonly median: number; readonly low: number; readonly high: number }

const spread = (numbers: readonly number[]): Spread => ({
  median: median(numbers),
  low: Math.min(...numbers),
  high: Math.max(...numbers),
})

export const UNITS: Readonly<Record<string, string>> = {
  ordersPerSecond: 'orders/s',
  submissionsPerSecond: 'submissions/s',
  deliveriesPerSecond: 'deliveries/s',
  pollsPerSecond: 'polls/s',
  sentPerSecond: 'and codes sent/s',
  answersPerSecond: 'answers/s',
  answersPerFlush: 'answers to a flush',
  microsecondsPerEntry: 'µs an entry',
  entries: 'entries',
  p50: 'p50 ms',
  p99: 'p99 ms',
  sqliteP50: 'SQLite p50 ms',
  sqliteP99: 'SQLite p99 ms',
  postgresP50: 'PostgreSQL p50 ms',
  postgresP99: 'PostgreSQL p99 ms',
}

export const contendersOf = ({ rounds }: Rounds): readonly string[] => Object.keys(rounds[0] ?? {})

export const figureNamesOf = ({ rounds }: Rounds): readonly string[] => [
  ...new Set(Object.values(rounds[0] ?? {}).flatMap((sample) => Object.keys(sample))),
]

const valueIn = (round: Round, contender: string, figure: string): number =>
  round[contender]?.[figure] ?? Number.NaN

export const figureOf = ({ rounds }: Result, contender: string, figure: string): Spread =>
  spread(rounds.map((round) => valueIn(round, contender, figure)))

/** `of` is divided by `to`. `figure`: the part's first by default. */
type Comparison = { readonly of: string; readonly to: string; readonly figure?: string }

const on = (store: string, to: string, figure?: string): Comparison => ({
  of: `plazo on ${store}`,
  to,
  ...(figure && { figure }),
})

// By part.
const COMPARISONS: Readonly<Record<string, readonly Comparison[]>> = {
  submissions: [
    on('SQLite', 'bare group commit on SQLite'),
    on('SQLite', 'bare group commit on SQLite', 'p99'),
    on('PostgreSQL', 'bare group commit on PostgreSQL'),
    on('PostgreSQL', 'bare group commit on PostgreSQL', 'p99'),
    on('SQLite, lasting load', 'bare group commit on SQLite, lasting load'),
    on('SQLite, lasting load', 'bare group commit on SQLite, lasting load', 'p99'),
    on('PostgreSQL, lasting load', 'bare group commit on PostgreSQL, lasting load'),
    on('PostgreSQL, lasting load', 'bare group commit on PostgreSQL, lasting load', 'p99'),
  ],
  orders: [
    on('SQLite', 'DBOS Transact'),
    on('SQLite', 'Restate'),
    on('PostgreSQL', 'DBOS Transact'),
    on('PostgreSQL', 'Restate'),
    ...['SQLite', 'PostgreSQL'].flatMap((store) => [
      on(store, 'DBOS Transact, asking others'),
      on(store, 'Restate, asking others'),
    ]),
  ],
  deliveries: [
    on('SQLite', 'graphile-worker'),
    on('PostgreSQL', 'graphile-worker'),
    on('SQLite', 'node:http, no store'),
    on('PostgreSQL', 'node:http, no store'),
  ],
  polls: [on('SQLite', 'bare Hono, a constant'), on('PostgreSQL', 'bare Hono, a constant')],
  growth: ['SQLite', 'PostgreSQL'].flatMap((store) => [
    { of: `${store}, 100,000 orders stored`, to: `${store}, 1,000 orders stored` },
    { of: `${store}, 1,000,000 orders stored`, to: `${store}, 1,000 orders stored` },
  ]),
  nodes: [
    { of: '2 nodes', to: '1 node' },
    {
      of: '3 nodes',
      to: '1 node',
    },
  ],
  claims: ['SQLite', 'PostgreSQL'].map((store) => ({
    of: `${store}, many finished deliveries`,
    to: `${store}, few finished deliveries`,
  })),
}

type Ratio = Comparison & Spread

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
