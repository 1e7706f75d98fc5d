// What a simulation has to tell: a table of what happened, or the story of what went wrong and how to see it again.
import type { Shrunk } from './shrink.ts'
import { storyText, type Tally, type Violation } from './story.ts'

const COLUMNS = 3

const cell = (name: string, count: number): string =>
  `${name.padEnd(26).slice(0, 34)}${count.toLocaleString('en').padStart(12)}`

/** Each group under its name, its entries in columns. */
export const tallyTable = (tally: Tally): string =>
  Object.entries(tally)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, counts]) => {
      const cells = Object.entries(counts)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => cell(name, count))
      const rows = Array.from({ length: Math.ceil(cells.length / COLUMNS) }, (_, row) =>
        cells.slice(row * COLUMNS, (row + 1) * COLUMNS).join('   '),
      )
      return [group, ...rows.map((row) => `  ${row}`)].join('\n')
    })
    .join('\n')

/** The command that tells the same story again. */
export const replayCommand = (seed: number, orders: readonly number[], faults: readonly number[]): string =>
  `pnpm simulate --seed ${seed} --only ${orders.join(',')} --faults ${faults.length === 0 ? 'none' : faults.join(',')}`

export const failureText = (seed: number, { law }: Violation, { orders, faults, outcome, replays }: Shrunk): string =>
  [
    `Seed ${seed} breaks a law: ${law}`,
    ...outcome.violations.map(
      ({ law: broken, order, sentence }) => `  ${broken}${order === null ? '' : ` (order ${order})`}: ${sentence}`,
    ),
    '',
    `The shortest story found, after ${replays} replays: ${orders.length} orders, ${faults.length} faults.`,
    storyText(outcome.lines, new Set(orders)),
    '',
    'To see it again:',
    `  ${replayCommand(seed, orders, faults)}`,
  ].join('\n')
