// Code grows a little with each change, and nobody notices the sum. A budget makes the growth a
// decision: a commit may lower one, and a raise needs a decision record.
import { type MeasuredFile, type Part, type Size, sumOf } from './measure.ts'

/** `files`: the paths that it counts. `max`: in tokens. */
type Budget = {
  readonly name: string
  readonly part: Part
  readonly files: RegExp
  readonly max: number
}

export const BUDGETS: readonly Budget[] = [
  { name: 'core', part: 'production', files: /^packages\/core\//, max: 72_150 },
  { name: 'adapters', part: 'production', files: /^packages\/adapters\//, max: 84_450 },
  { name: 'server', part: 'production', files: /^packages\/server\//, max: 123_600 },
  {
    name: 'the console',
    part: 'production',
    files:
      /^packages\/server\/src\/(?:console\/|merchants\/|cli\/(?:merchant|secret-input|orders-erase)|api\/orders\/(?:era|operator-routes|decisions))/,
    max: 17_000,
  },
  {
    name: 'the sandbox',
    part: 'production',
    files: /^packages\/server\/src\/(?:sandbox\/|cli\/(?:clock|demo|sandbox-))/,
    max: 26_300,
  },
  {
    name: 'the sandbox’s pages',
    part: 'production',
    files: /^packages\/server\/src\/sandbox\/browser\//,
    max: 7_000,
  },
  {
    name: 'http',
    part: 'production',
    files: /^packages\/server\/src\/http\//,
    max: 17_000,
  },
  { name: 'the kit', part: 'tests', files: /^packages\/core\/src\/testing\//, max: 76_000 },
  {
    name: 'all other tests and tools',
    part: 'tests',
    files: /^(?!packages\/core\/src\/testing\/)/,
    max: 341_500,
  },
  {
    name: 'tests of the server',
    part: 'tests',
    files: /^packages\/server\/|^test\/(?:pages|end-to-end|security)\//,
    max: 118_800,
  },
]

export const measureBudget = (budget: Budget, files: readonly MeasuredFile[]): Size =>
  sumOf(files.filter(({ part, path }) => part === budget.part && budget.files.test(path)))
