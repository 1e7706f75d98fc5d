// Runs the benchmark at a small size. It fails if a request gets a wrong answer. It asserts no
// figure.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { contendersOf, figureNamesOf } from './figures.ts'
import type { PartResult } from './rounds.ts'

const COMMAND = fileURLToPath(new URL('./command.ts', import.meta.url))

// The parts that the others are built from; running all would take the gate too long.
const PARTS = ['submissions', 'orders', 'deliveries']

const run = async (...args: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [COMMAND, ...args])).stdout

type PartMeasured = PartResult & { readonly part: string }

const figuresIn = ({ rounds }: PartResult): readonly number[] =>
  rounds.flatMap((round) => Object.values(round).flatMap((sample) => Object.values(sample)))

describe('the benchmark', () => {
  let measured: ReadonlyMap<string, PartMeasured> = new Map()
  beforeAll(async () => {
    const lines = (await run(...PARTS, '--small', '--json')).trim().split('\n')
    measured = new Map(
      lines.map((line) => JSON.parse(line) as PartMeasured).map((part) => [part.part, part]),
    )
  }, 300_000)

  it.each([
    ['submissions', 'submissionsPerSecond', ['plazo on SQLite', 'bare group commit on PostgreSQL']],
    ['orders', 'ordersPerSecond', ['plazo on SQLite', 'plazo on PostgreSQL']],
    [
      'deliveries',
      'deliveriesPerSecond',
      ['plazo on SQLite', 'plazo on PostgreSQL', 'node:http, no store'],
    ],
  ])('measures %s', (name, figure, contenders) => {
    const part = measured.get(name) ?? { part: name, rounds: [], dropped: 0 }
    expect(contendersOf(part)).toEqual(expect.arrayContaining(contenders))
    expect(figureNamesOf(part)[0]).toBe(figure)
    expect(figuresIn(part).every(Number.isFinite)).toBe(true)
  })
})
