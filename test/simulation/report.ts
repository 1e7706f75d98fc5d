// Prints the result of a simulation: a table of what happened, or the story of a violation and the command to replay it.

import { formatEvents, type Tally, type Violation } from './event-log.ts'
import type { Shrunk } from './shrink.ts'

const WIDTH = 120
const COUNT_WIDTH = 13

const rowsOf = (counts: Readonly<Record<string, number>>): readonly string[] => {
  const names = Object.keys(counts).toSorted()
  const width = Math.max(...names.map(({ length }) => length))
  const cells = names.map((name) => name.padEnd(width) + (counts[name] ?? 0).toLocaleString('en').padStart(COUNT_WIDTH))
  const columns = Math.max(1, Math.floor(WIDTH / (width + COUNT_WIDTH + 3)))
  return Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns).join('   '),
  )
}

/** Each group under its name, with its entries in columns. */
export const tallyTable = (tally: Tally): string =>
  Object.keys(tally)
    .toSorted()
    .map((group) => [group, ...rowsOf(tally[group] ?? {}).map((row) => `  ${row}`)].join('\n'))
    .join('\n')

/** The command that replays the same story. */
const replayCommand = (seed: number, orders: readonly number[], faults: readonly number[]): string =>
  `pnpm simulate --seed ${seed} --only ${orders.join(',')} --faults ${faults.length === 0 ? 'none' : faults.join(',')}`

export const failureText = (seed: number, { law }: Violation, { orders, faults, outcome, replays }: Shrunk): string =>
  [
    `Seed ${seed} breaks a law: ${law}`,
    ...outcome.violations.map(
      ({ law: broken, order, sentence }) => `  ${broken}${order === null ? '' : ` (order ${order})`}: ${sentence}`,
    ),
    '',
    `The shortest story found, after ${replays} replays: ${orders.length} orders, ${faults.length} faults.`,
    formatEvents(outcome.lines, new Set(orders)),
    '',
    'To see it again:',
    `  ${replayCommand(seed, orders, faults)}`,
  ].join('\n')
