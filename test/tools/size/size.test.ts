// The budgets and the public names are limits that a change cannot pass unnoticed, and the counter
// must give code the same size in every form. Otherwise a budget is met by formatting.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BUDGETS, measureBudget } from './budgets.ts'
import { countPublicNames, measureFiles } from './measure.ts'
import { countTokens } from './tokens.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The most public names of entries. All others are internal, and promise nothing. */
const NAMES_MAX: readonly (readonly [entries: RegExp, max: number])[] = [
  [/^@plazo\/core$/, 60],
  [/^@plazo\/core\/ports$/, 40],
  [/^@plazo\/core\/protocol$/, 40],
  [/^@plazo\/core\/machine$/, 30],
  [/^@plazo\/core\/(?:form-rules|signing)$/, 8],
  [/^@plazo\/adapters\//, 40],
  [/^@plazo\/server/, 8],
]

describe('the size of the code', () => {
  const files = measureFiles()

  it.each(BUDGETS)('is within the budget of $max tokens for $name', (budget) => {
    const { tokens } = measureBudget(budget, files)
    expect(tokens).toBeGreaterThan(0)
    expect(tokens).toBeLessThanOrEqual(budget.max)
  })

  it('leaves out no folder of a package', () => {
    const folders = files.map(({ folder }) => folder.split('/')[0])
    expect(new Set(folders)).toEqual(new Set(['core', 'adapters', 'server', 'test']))
  })

  it.each(NAMES_MAX)('%s has no more public names than %s', (entries, max) => {
    const counts = [...countPublicNames()].filter(([entry]) => entries.test(entry))
    const sum = counts.reduce((all, [, count]) => all + count, 0)
    expect(sum).toBeGreaterThan(0)
    expect(sum).toBeLessThanOrEqual(max)
  })
})

describe('a token', () => {
  it.each([
    ['const one = 1 // the first', 4],
    ['/** Adds. */\nadd(a, ...rest)', 7],
    ["message ?? 'it\\'s late'", 4],
    ["''", 1],
    ['`select name`', 2],
    ['`\n  select name\n  from orders\n`', 4],
    [`\`select \${column("a b")} from \${\`\${table}s\`}\``, 9],
    ['total / count / 2', 5],
    ['text.split(/ "[/] /g)', 6],
    ['return /`/', 2],
  ])('of code: %j has %i', (text, count) => {
    expect(countTokens(text, 'code.ts')).toBe(count)
    expect(countTokens(text, 'code')).toBe(count)
  })

  it.each([
    ['style.css', '/* red */\na { color: #fff; }', 5],
    ['style.css', 'a{color:#fff;}', 5],
    ['page.html', '<!-- a list --><ul><li>one</li></ul>', 4],
    ['orders.sql', 'select id from orders', 4],
    ['words.json', '{"name":"two words"}', 6],
    ['words.yaml', 'name: two words', 4],
  ])('in %s is a word: %j has %i', (path, text, count) => {
    expect(countTokens(text, path)).toBe(count)
  })

  it('of TSX is what esbuild writes', () => {
    const text = 'export const Title = () => <h1 class="big">Two words</h1>'
    expect(countTokens(text, 'title.tsx')).toBeGreaterThan(countTokens(text, 'title.ts'))
  })
})

describe('the size of a file', () => {
  // A formatter also writes commas at the end of broken lists: signs, which count.
  const format = (path: string, text: string, columns: number): string =>
    execFileSync(
      join(root, 'node_modules/.bin/biome'),
      ['format', `--line-width=${columns}`, '--trailing-commas=none', `--stdin-file-path=${path}`],
      { cwd: root, input: text, encoding: 'utf8' },
    )

  it.each([
    'packages/adapters/src/postgres/sql/commit.sql.ts',
    'packages/core/src/order/next-action.ts',
  ])('is the same in lines of 40 and of 160 columns: %s', (path) => {
    const text = readFileSync(join(root, path), 'utf8')
    const [narrow, wide] = [format(path, text, 40), format(path, text, 160)]
    expect(narrow.split('\n').length).toBeGreaterThan(wide.split('\n').length)
    expect(countTokens(narrow, path)).toBe(countTokens(wide, path))
  })
})
