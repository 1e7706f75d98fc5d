// The budgets and the public names are limits that a change cannot pass unnoticed.
import { describe, expect, it } from 'vitest'
import { BUDGETS, measureBudget } from './budgets.ts'
import { countPublicNames, measureFiles } from './measure.ts'

const NAMES_MAX = {
  '@plazo/core': 60,
  '@plazo/core/ports': 40,
  '@plazo/core/protocol': 40,
  '@plazo/core/machine': 30,
}

describe('the size of the code', () => {
  const files = measureFiles()

  it.each(BUDGETS)('is within the budget of $max tokens for $name', (budget) => {
    const { tokens } = measureBudget(budget, files)
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThanOrEqual(budget.max)
  })

  it.each(Object.entries(NAMES_MAX))('%s has at most %i public names', (entry, max) => {
    expect(countPublicNames().get(entry)).toBeLessThanOrEqual(max)
  })
})
