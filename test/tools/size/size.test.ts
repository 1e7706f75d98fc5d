// The budgets and the public names are limits that a change cannot pass unnoticed, and the counter
// must give code the same size in every form. Otherwise a budget is met by formatting.
import { describe, expect, it } from 'vitest'
import { BUDGETS, measureBudget } from './budgets.ts'
import { countPublicNames, measureFiles } from './measure.ts'
import { countTokens } from './tokens.ts'

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

describe('a token', () => {
  it.each([
    ['const one = 1 // the first', 4],
    ['/** Adds. */\nadd(a, ...rest)', 7],
    ["message ?? 'it\\'s late'", 4],
    ['`\n  select name\n  from orders\n`', 4],
    [`\`select \${column("a b")} from \${\`\${table}s\`}\``, 9],
    ['total / count / 2', 5],
    ['text.split(/ "[/] /g)', 6],
  ])('of code: %j has %i', (text, count) => {
    expect(countTokens(text, 'code.ts')).toBe(count)
    expect(countTokens(text, 'code')).toBe(count)
  })

  it.each([
    ['style.css', '/* red */\na { color: #fff; }', 5],
    ['style.css', 'a{color:#fff;}', 5],
    ['page.html', '<!-- a list --><ul><li>one</li></ul>', 4],
    ['words.json', '{"name":"two words"}', 6],
  ])('in %s is a word: %j has %i', (path, text, count) => {
    expect(countTokens(text, path)).toBe(count)
  })
})
