// Prints the size of the code: `pnpm size`. With `--write` it also writes the table into
// docs/architecture.md, where a reader compares the folders.
import { parseArgs } from 'node:util'
import { writeIntoPage } from '../write-into-page.ts'
import { countPublicNames, measureFiles, PACKAGES, type Part, type Size, sumOf } from './measure.ts'

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(`pnpm size [--write]

Prints files, lines and tokens of each folder, and the public names of each entry.
--write also writes them into docs/architecture.md.`)
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
const generated = measurePart('generated')
const report = [
  ...sizes,
  '',
  `Generated files are not in the table: ${number(generated.files)}, with ${number(generated.tokens)} tokens.`,
  '',
  ...names,
].join('\n')
console.log(report)

if (values.write) writeIntoPage('docs/architecture.md', 'size', report)
