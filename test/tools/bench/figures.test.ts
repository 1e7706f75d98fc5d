import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { plot } from './plot.ts'
import { storedResults, withFigures } from './report.ts'

const docs = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url)), 'utf8')

describe('the figures of the benchmark', () => {
  it('appear in the document and in its picture as they were stored', () => {
    expect(withFigures(docs('performance.md'), storedResults())).toBe(docs('performance.md'))
    expect(plot([...storedResults().values()])).toBe(docs('performance/figures.svg'))
  })
})
