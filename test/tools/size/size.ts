// Prints the size of the code: `pnpm size`. Size is counted in tokens, because a dense line hides as
// much as three plain ones.
import { parseArgs } from 'node:util'
import { BUDGETS, measureBudget } from './budgets.ts'
import { countPublicNames, measureFiles, PACKAGES, type Part, type Size, sumOf } from './measure.ts'

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`pnpm size

Prints the budgets, files, lines and tokens of each folder, and the public names of each entry.`)
  process.exit()
}

const files = measureFiles()
const number = (value: number): string => (value === 0 ? '' : value.toLocaleString('en'))

const measurePart = (part: Part, path = ''): Size =>
  sumOf(files.filter((file) => file.part === part && `${file.folder}/`.startsWith(path)))

/** `path`: the folder with its last slash; empty for everything. */
const row = (title: string, path: string): string => {
  const [production, tests] = [measurePart('production', path), measurePart('tests', path)]
  const cells = [production.files, production.lines, production.tokens, tests.files, tests.tokens]
  return `| ${[title, ...cells.map(number)].join(' | ')} |`
}

const foldersIn = (name: string): readonly string[] =>
  [...new Set(files.map(({ folder }) => folder))]
    .filter((folder) => folder.startsWith(`${name}/`))
    .sort()

const budgets = [
  '| budget | files | lines | tokens | at most |',
  '|---|---:|---:|---:|---:|',
  ...BUDGETS.map((budget) => {
    const size = measureBudget(budget, files)
    const cells = [size.files, size.lines, size.tokens, budget.max]
    return `| ${[budget.name, ...cells.map(number)].join(' | ')} |`
  }),
]
const sizes = [
  '| | files | lines | tokens | files of tests | tokens of tests |',
  '|---|---:|---:|---:|---:|---:|',
  ...[...PACKAGES, 'test'].flatMap((name) => [
    row(`**${name}**`, `${name}/`),
    ...foldersIn(name).map((folder) => row(`\`${folder}\``, `${folder}/`)),
  ]),
  row('**sum**', ''),
]
const names = [
  '| entry | public names |',
  '|---|---:|',
  ...[...countPublicNames()].map(([entry, count]) => `| \`${entry}\` | ${count} |`),
]
console.log([...budgets, '', ...sizes, '', ...names].join('\n'))
