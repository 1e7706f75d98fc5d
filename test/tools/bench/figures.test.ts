import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { replacePart } from '../write-into-page.ts'
import { storedFigures } from './report.ts'

it('the figures of the benchmark appear on their page as they were stored', () => {
  const file = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url))
  const page = readFileSync(file, 'utf8')
  expect(replacePart(page, 'figures', storedFigures())).toBe(page)
})
