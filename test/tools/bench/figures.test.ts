import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { figureOf, ratiosOf } from './figures.ts'
import { plot } from './plot.ts'
import { storedResults, withFigures } from './report.ts'
import type { Result } from './results.ts'

const round = (plazo: number, peer: number) => ({
  'plazo on SQLite': { ordersPerSecond: plazo },
  'DBOS Transact': { ordersPerSecond: peer },
})

const result: Result = {
  part: 'orders',
  on: '2026-01-01',
  machine: 'two cores',
  versions: {},
  // The second minute was slow for both.
  rounds: [round(400, 20), round(110, 5), round(390, 20)],
  dropped: 0,
}

const docs = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url)), 'utf8')

describe('the figures of the benchmark', () => {
  it('are medians over the rounds', () => {
    expect(figureOf(result, 'plazo on SQLite', 'ordersPerSecond')).toEqual({
      median: 390,
      low: 110,
      high: 400,
    })
  })

  it('are medians for an even number of rounds too', () => {
    const even = { ...result, rounds: [round(100, 20), round(200, 20)] }
    expect(figureOf(even, 'plazo on SQLite', 'ordersPerSecond').median).toBe(150)
  })

  it('are compared within each round, because minutes differ', () => {
    expect(ratiosOf(result)).toEqual([
      expect.objectContaining({ to: 'DBOS Transact', median: 20, low: 19.5, high: 22 }),
    ])
  })

  it('appear in the document and in its picture as they were stored', () => {
    expect(withFigures(docs('performance.md'), storedResults())).toBe(docs('performance.md'))
    expect(plot([...storedResults().values()])).toBe(docs('performance/figures.svg'))
  })
})
