// Code grows a little with each change, and nobody notices the sum. These limits make the growth a
// decision: a change may raise one, with the reason in its commit.
import { describe, expect, it } from 'vitest'
import { countPublicNames, measureFiles, sumOf } from './measure.ts'
import { countStyle, countTokens } from './tokens.ts'

/** In tokens. */
const PRODUCTION_MAX: ReadonlyMap<string, number> = new Map([
  ['core', 81_500],
  ['adapters', 119_500],
  ['server', 176_500],
])
/** In tokens: tests of packages, the test kit, and everything in `test/`. */
const TESTS_MAX = 592_000
/** The public names of `@plazo/core`. */
const NAMES_MAX = 120

describe('the size of the code', () => {
  const files = measureFiles()

  it.each([...PRODUCTION_MAX])('packages/%s has at most %i tokens', (name, max) => {
    const production = files.filter(
      ({ path, part }) => part === 'production' && path.startsWith(`packages/${name}/`),
    )
    expect(sumOf(production).tokens).toBeLessThanOrEqual(max)
  })

  it(`all tests together have at most ${TESTS_MAX} tokens`, () => {
    const tests = files.filter(({ part }) => part === 'tests')
    expect(sumOf(tests).tokens).toBeLessThanOrEqual(TESTS_MAX)
  })

  it(`the main entry of core has at most ${NAMES_MAX} names`, () => {
    expect(countPublicNames().get('@plazo/core')).toBeLessThanOrEqual(NAMES_MAX)
  })
})

describe('a token', () => {
  it.each([
    ['const one = 1 // the first', 4],
    ['/** Adds. */\nadd(a, ...rest)', 7],
    ['`select name`', 1],
    ['`\n  select name\n  from orders\n`', 6],
    ["message ?? 'it''s'", 4],
  ])('%j has %i', (text, count) => {
    expect(countTokens(text)).toBe(count)
  })
  it('in a style sheet is a word', () => {
    expect(countStyle('/* red */\na { color: #fff; }')).toBe(5)
  })
})
