// `./pnpm hosts` prints what strangers get for their hosts, measured on the packed packages: the lines of
// each host, where the store contract holds, and what types and `conform` find. Sources alone would
// not show a file that is missing in a package.
//
// The tests are those of this repository. They run in a copy of `test`, in which `@plazo` is the
// unpacked packages. The parts of a test that are no package, such as a rival server, stay sources.
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { docCommentsOf } from '../../harness/package-exports.ts'
import { PACKAGES, type PackedProject, packProject } from '../../harness/packed-project.ts'
import { startServer } from '../../harness/running-server.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

type TestResult = { readonly fullName: string; readonly status: string; readonly meta?: Counts }
type Counts = { readonly passed?: number; readonly count?: number }
type Row = readonly [what: string, measured: string]

const linesOf = (host: string): Row => {
  const text = readFileSync(join(root, `docs/hosts/${host}.md`), 'utf8')
  const [, program = ''] = /```[jt]s\n([\s\S]*?)```/.exec(text) ?? []
  const lines = program.trim().split('\n')
  const columns = Math.max(...lines.map(({ length }) => length))
  return [`lines of ${host}`, `${lines.length}, of at most ${columns} columns`]
}

/** Makes the packed project one in which this repository's tests run. */
const copyTests = (folder: string, modules: string): void => {
  for (const file of ['vitest.config.ts', 'tsconfig.base.json'])
    cpSync(join(root, file), join(folder, file))
  cpSync(join(root, 'test'), join(folder, 'test'), { recursive: true })
  for (const name of ['docs', 'packages']) symlinkSync(join(root, name), join(folder, name))
  const installed = readdirSync(join(root, 'node_modules')).filter((name) => name !== '@plazo')
  for (const name of installed) {
    rmSync(join(modules, name), { recursive: true, force: true })
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
}

const runTests = async (
  { runProgram }: PackedProject,
  folder: string,
  files: readonly string[],
) => {
  const report = join(folder, 'report.json')
  const words = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json']
  // A failed test is a figure of the table.
  await runProgram('node', [...words, `--outputFile=${report}`, ...files]).catch(() => null)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    readonly testResults: readonly { readonly assertionResults: readonly TestResult[] }[]
  }
  return testResults.flatMap(({ assertionResults }) => assertionResults)
}

/** A test that runs others itself has their counts in its meta. */
const countPassed = (results: readonly TestResult[], title: RegExp): string => {
  const counts = results
    .filter(({ fullName }) => title.test(fullName))
    .map(({ status, meta }) => ({ passed: status === 'passed' ? 1 : 0, count: 1, ...meta }))
  const sum = (part: 'passed' | 'count') => counts.reduce((total, each) => total + each[part], 0)
  return `${sum('passed')} of ${sum('count')}`
}

/** How often the store contract passes by the program of docs/testing.md, in `node --test`. */
const countInNode = async ({ countPassed: run }: PackedProject, folder: string) => {
  const page = readFileSync(join(root, 'docs/testing.md'), 'utf8')
  const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
  const countIn = (runner: 'vitest' | 'node'): Promise<number> => {
    const file = `test/embedding/${runner}-store.test.ts`
    writeFileSync(join(folder, file), program.replace('vitest', runner))
    return run(runner, file)
  }
  const all = await countIn('vitest')
  return `${await countIn('node')} of ${all}`
}

/** Each place has a test whose lines expect an error of the compiler. */
const countPlaces = async (
  { runProgram }: PackedProject,
  folder: string,
  results: readonly TestResult[],
): Promise<Row> => {
  const include = ['test/embedding/changed-machine.test.ts']
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: './tsconfig.base.json', include }),
  )
  const complaints = await runProgram('node', [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...['-p', '.'],
  ]).catch(({ message }: Error) => message)
  const places = countPassed(results, /^a new state does not compile without/)
  return [
    'places that types lead a new state to',
    `${places}${complaints && `, but ${complaints}`}`,
  ]
}

const countComments = (folderOf: PackedProject['folderOf']): Row => {
  const comments = PACKAGES.flatMap((name) => [...docCommentsOf(folderOf(name)).values()])
  const written = comments.filter((comment) => comment !== null)
  return ['exports with a doc comment', `${written.length} of ${comments.length}`]
}

/** What `plazo conform` of the packages says about their own server. */
const checkServer = async ({ cli, folderOf, runProgram }: PackedProject): Promise<Row> => {
  const server = await startServer({ main: join(folderOf('server'), 'dist/main.js') })
  const words = ['--url', server.url, '--merchant', 'demo', '--password', 'demo']
  const report = await runProgram('node', [cli, 'conform', ...words]).catch(
    ({ message }: Error) => message,
  )
  await server.stop()
  return ['conform: the packed server', report.trim().split('\n').at(-1) ?? '']
}

const HELP = `pnpm hosts [--help]

Packs the packages, runs the tests of hosts and stores on what was packed, and prints a table: about three minutes.
`

const PAGES = ['node-http', 'hono', 'express', 'durable-object', 'browser-page', 'restate']

const start = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-hosts-'))
  try {
    const project = await packProject(folder)
    copyTests(folder, project.modules)
    const results = await runTests(project, folder, [
      'test/end-to-end/contract/row-databases',
      'test/end-to-end/contract/postgres-within',
      'test/embedding/workerd',
      'test/embedding/changed-machine',
      'test/embedding/rival',
    ])
    const rows: readonly Row[] = [
      ...PAGES.map(linesOf),
      [
        'storeContract, a JSON value',
        countPassed(results, /the rows of a JSON value keeps the store contract/),
      ],
      [
        'storeContract, reopened, three databases',
        countPassed(results, /opened for every operation/),
      ],
      [
        'storeContract, within PostgreSQL',
        countPassed(results, /^a store within transactions of .* keeps the store contract/),
      ],
      ['storeContract and erasure, workerd', countPassed(results, /^a Durable Object keeps/)],
      ['storeContract, node:test', await countInNode(project, folder)],
      await countPlaces(project, folder, results),
      countComments(project.folderOf),
      ['conform: planted faults', countPassed(results, /^a rival server is told that/)],
      ['conform: a rival without a fault', countPassed(results, /^a rival server without a fault/)],
      await checkServer(project),
    ]
    for (const [what, measured] of rows) console.log(`${what.padEnd(42)}${measured}`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const { help } = parseArgs({ options: { help: { type: 'boolean', default: false } } }).values
if (help) console.log(HELP)
else await start()
