// The packages as a project uses them: packed, unpacked as dependencies, run by Node without type
// stripping, and checked by a compiler. One installation serves every guide and every host.
import { copyFileSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { entryPointsOf } from '../harness/package-exports.ts'
import { PACKAGES, packProject, programsOf } from '../harness/packed-project.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { testGuides } from './guides.ts'
import { testHosts } from './hosts.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'plazo-project-'))
afterAll(() => rmSync(folder, { recursive: true }))
const project = await packProject(folder)
const { folderOf, manifestOf, run, write, cli } = project

const publicEntries = PACKAGES.flatMap((name) => [...entryPointsOf(join(root, 'packages', name))])

/** The examples at the top of each entry, by import path. */
const entryExamples = new Map(
  publicEntries.map(([entry, file]) => {
    const [, example = ''] =
      /^\/\/ ```ts\n([\s\S]*?)^\/\/ ```$/m.exec(readFileSync(file, 'utf8')) ?? []
    return [entry, example.replaceAll(/^\/\/ ?/gm, '')] as const
  }),
)

const fileOfExample = (entry: string): string =>
  `${entry.slice(1).replaceAll('/', '-')}-example${/contracts|vitest/.test(entry) ? '.test' : ''}.ts`

/** The examples of doc comments, with imports for all that they take as given. */
const commentExamples = async (): Promise<readonly string[]> => {
  const values = readFileSync(join(root, 'test/embedding/example-values.ts'), 'utf8')
  const given = [...values.matchAll(/^export (?:declare const|.* as|\{) (\w+)/gm)]
  const core = Object.keys(await import('@plazo/core/internal'))
  const sources = new Map([
    ...core.map((name) => [name, '@plazo/core/internal'] as const),
    ...given.map(([, name = '']) => [name, './example-values.ts'] as const),
  ])
  const sourcesOfCore = globSync('packages/core/src/checkout/**/*.ts', { cwd: root })
  return sourcesOfCore.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /@example\n \* ```ts\n([\s\S]*?)^ \* ```/gm,
      ),
    ].map(([, lines = '']) => {
      const example = lines.replaceAll(/^ \* ?/gm, '')
      const code = example.replaceAll(/\/\/.*$|'[^'\n]*'/gm, '')
      const declared = new Set(code.match(/(?<=\bconst (?:\{[^}]*)?)\w+/g))
      const used = new Set(code.match(/(?<![\w)\]?]\.|\w)[A-Za-z]\w*(?!\w*:)/g))
      const imports = [...used].flatMap((name) => {
        const source = declared.has(name) ? undefined : sources.get(name)
        return source === undefined ? [] : [`import { ${name} } from '${source}'\n`]
      })
      return `${imports.join('')}${example}export {}\n`
    }),
  )
}

describe('the packages', () => {
  it('contain the built code with its types, and correct metadata', () => {
    for (const name of PACKAGES) {
      const files = readdirSync(folderOf(name), { recursive: true, encoding: 'utf8' })
      const { exports = {}, bin = {} } = manifestOf(name)
      expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']))
      for (const door of [...Object.values(exports), ...Object.values(bin)])
        if (door.endsWith('.js'))
          expect(files).toEqual(
            expect.arrayContaining([door.slice(2), door.slice(2).replace(/\.js$/, '.d.ts')]),
          )
      expect(files.filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual([])
      if (name === 'adapters')
        expect(files).toEqual(expect.arrayContaining(['dist/embedding.md', 'dist/receiving.md']))
    }
  })

  it('install no database driver for a shop’s receiver, and an xstate that a host may choose', () => {
    for (const name of ['core', 'adapters']) {
      const { dependencies, peerDependencies } = manifestOf(name)
      for (const driver of ['better-sqlite3', 'pg', 'xstate'])
        expect(dependencies).not.toHaveProperty(driver)
      expect(peerDependencies).toMatchObject({ xstate: '^5.33' })
    }
    expect(manifestOf('server').dependencies).toMatchObject({ xstate: '^5.33' })
  })

  it('start threads of their own', async () => {
    copyFileSync(join(root, 'test/embedding/threads.ts'), join(folder, 'threads.ts'))
    expect(JSON.parse(await run('threads.ts'))).toMatchObject({
      moved: 1_200,
      heard: { _tag: 'Right', right: { status: 204, retryAfter: null, body: '' } },
      threads: 3,
      broken: [],
    })
  })

  it('start a sandbox that misses no part, and print the machine', async () => {
    const port = await freePort()
    const sandbox = project.start([cli], { PORT: `${port}`, DATABASE_URL: 'sqlite::memory:' })
    await sandbox.hasPrinted('"started"')
    for (const path of [
      'docs/reference.js',
      'sdk/checkout.js',
      'sdk/card-form.js',
      'assets/payment-frame.js',
    ])
      expect((await fetch(`http://127.0.0.1:${port}/${path}`)).status, path).toBe(200)
    expect(sandbox.printed()).not.toContain('pnpm')
    expect(await run(cli, 'machine')).toContain('stateDiagram')
  })

  it('can be required by a CommonJS project', async () => {
    const doors = publicEntries.map(([entry]) => entry).filter((entry) => !/vitest/.test(entry))
    const program = `console.log(${JSON.stringify(doors)}.filter((door) => Object.keys(require(door)).length > 0).length)`
    expect(await run('--input-type=commonjs', '--eval', program)).toBe(`${doors.length}\n`)
  })

  // The example of PostgreSQL needs a server, and those of the contracts a test runner. The compiler
  // checks them all.
  it('begin each entry with an example that runs', async () => {
    for (const [entry, example] of entryExamples) {
      expect(example, entry).not.toBe('')
      write(fileOfExample(entry), example)
    }
    const entries = [...entryExamples.keys()].filter(
      (name) => !/postgres|contracts|testing\/(?:node|vitest)$/.test(name),
    )
    // One process loads the packages once, and ends if no example leaves anything open.
    const program = entries.map(
      (entry) => `console.log('# ${entry}'); await import('./${fileOfExample(entry)}')\n`,
    )
    write('examples.mjs', program.join(''))
    const [, ...outputs] = (await run('examples.mjs')).split(/^# /m)
    expect(outputs).toEqual(entries.map((entry) => expect.stringMatching(`^${entry}\n.`)))
    expect(await run(fileOfExample('@plazo/core/testing/node'))).not.toBe('')
  })
})

testGuides(project)
testHosts(project)

it('the programs of all pages and doc comments, and every entry, pass a compiler with only strict', async () => {
  const pages = globSync('**/*.md', { cwd: join(root, 'docs') })
  for (const page of pages)
    for (const [index, program] of programsOf(page).entries())
      if (!program.includes("from './"))
        write(`${page.replaceAll(/\W/g, '-')}-${index}.ts`, program)
  copyFileSync(join(root, 'test/embedding/example-values.ts'), join(folder, 'example-values.ts'))
  const examples = await commentExamples()
  expect(examples.length).toBeGreaterThan(30)
  for (const [index, example] of examples.entries()) write(`comment-${index}.ts`, example)
  const doors = publicEntries.map(([entry], index) => `export * as door${index} from '${entry}'\n`)
  for (const file of ['doors.ts', 'doors.cts']) write(file, doors.join(''))
  const [config = ''] = programsOf('embedding.md', 'json')
  const { compilerOptions } = JSON.parse(config)
  const strict = { ...compilerOptions, noUnusedLocals: true }
  write('tsconfig.json', JSON.stringify({ compilerOptions: strict, include: ['*.ts', '*.cts'] }))
  expect(await run('node_modules/typescript/bin/tsc', '-p', '.')).toBe('')
})
