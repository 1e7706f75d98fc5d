// Tests the packages as a project uses them: packed, unpacked as dependencies, run by Node without
// type stripping, and checked by a compiler with only `strict`.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  allEntryPointsOf,
  entryPointsOf,
  exportsOf,
  usedTypes,
} from '../harness/package-exports.ts'
import { linkPackage, PACKAGES, packProject } from '../harness/packed-project.ts'
import { freePort } from '../harness/ports-and-folders.ts'
import { waitUntil } from '../harness/time.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'plazo-project-'))
afterAll(() => rmSync(project, { recursive: true }))
const { modules, folderOf, manifestOf, runProgram, cli, countPassed } = await packProject(project)

/** Every import path of the packages. */
const importPaths = (): readonly string[] =>
  PACKAGES.flatMap((name) =>
    Object.keys(manifestOf(name).exports ?? {}).map((door) => join('@plazo', name, door)),
  )

/** The examples at the top of each entry, by import path. */
const entryExamples = (): ReadonlyMap<string, string> =>
  new Map(
    PACKAGES.flatMap((name) => [...entryPointsOf(join(root, 'packages', name))]).map(
      ([entry, file]) => {
        const [, example = ''] =
          /^\/\/ ```ts\n([\s\S]*?)^\/\/ ```$/m.exec(readFileSync(file, 'utf8')) ?? []
        return [entry, example.replaceAll(/^\/\/ ?/gm, '')] as const
      },
    ),
  )

const fileOfExample = (entry: string): string =>
  `${entry.slice(1).replaceAll('/', '-')}-example${/contracts|vitest/.test(entry) ? '.test' : ''}.ts`

const blocksOf = (guide: string, language: string): readonly string[] =>
  [
    ...readFileSync(join(root, `docs/${guide}.md`), 'utf8').matchAll(
      new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'),
    ),
  ].map(([, text = '']) => text)

/** Runs a Node program until `stop`. Its errors appear in the test's own output. */
const program = (words: readonly string[], env: Readonly<Record<string, string>>) => {
  const options = { cwd: project, env: { PATH: process.env.PATH, ...env } }
  const child = spawn(process.execPath, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  return {
    output: () => output,
    printedText: (text: string) => waitUntil(async () => output.includes(text)),
    stop: () => {
      child.kill()
      return ended
    },
  }
}

const compilerOptions = {
  strict: true,
  target: 'es2024',
  module: 'nodenext',
  types: ['node'],
  noEmit: true,
}

const run = (...words: readonly string[]): Promise<string> => runProgram(process.execPath, words)

beforeAll(async () => {
  for (const name of ['typescript', '@types/node']) linkPackage(name, root, name, modules)
  const [embedding = ''] = blocksOf('embedding', 'ts')
  writeFileSync(join(project, 'embedding.ts'), embedding)
  const [shop = ''] = blocksOf('receiving', 'js')
  const [receiving = ''] = blocksOf('receiving', 'ts')
  writeFileSync(join(project, 'shop.mjs'), shop)
  writeFileSync(join(project, 'receiving.ts'), receiving)
  for (const name of ['threads', 'serving'])
    copyFileSync(join(root, `test/embedding/consumer/${name}.ts`), join(project, `${name}.ts`))
  for (const [entry, example] of entryExamples())
    writeFileSync(join(project, fileOfExample(entry)), example)
})

describe('the packages', () => {
  it('contain the built code with its types, and correct metadata', () => {
    for (const name of PACKAGES) {
      const files = readdirSync(folderOf(name), { recursive: true, encoding: 'utf8' })
      const { exports = {}, bin = {} } = manifestOf(name)
      expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE']))
      for (const door of [...Object.values(exports), ...Object.values(bin)])
        expect(files).toEqual(
          expect.arrayContaining([door.slice(2), door.slice(2).replace(/\.js$/, '.d.ts')]),
        )
      expect(files.filter((file) => /\.test\.|tsbuildinfo/.test(file))).toEqual([])
    }
  })

  it('take a checkout to its end', async () => {
    expect(await run('embedding.ts')).toContain("action: 'finish'")
  })

  it('start threads of their own', async () => {
    expect(JSON.parse(await run('threads.ts'))).toMatchObject({
      moved: 1_200,
      heard: { _tag: 'Right', right: { status: 204, retryAfter: null, body: '' } },
      threads: 3,
      broken: [],
    })
  })

  it('serve, and print the machine', async () => {
    expect(await run('serving.ts')).toBe('200\n'.repeat(4))
    expect(await run(cli, 'machine')).toContain('stateDiagram')
  })

  it('start a sandbox that does not complain about missing parts', async () => {
    const sandbox = program([cli, 'serve'], { PORT: '0', DATABASE_URL: 'sqlite::memory:' })
    await sandbox.printedText('"started"')
    await sandbox.stop()
    expect(sandbox.output()).toContain('/docs')
    expect(sandbox.output()).not.toContain('pnpm')
  })

  it('check a server, and find nothing wrong with a sandbox', async () => {
    const port = await freePort()
    const sandbox = program([cli, 'serve'], { PORT: `${port}`, DATABASE_URL: 'sqlite::memory:' })
    onTestFinished(sandbox.stop)
    await sandbox.printedText('"started"')
    const words = ['--url', `http://127.0.0.1:${port}`, '--merchant', 'demo', '--password', 'demo']
    expect(await run(cli, 'conform', ...words)).toContain('No rule is violated.')
  })

  it('are those that the receiving guide installs, and its pasted order finishes in its shop', async () => {
    const [install = '', start = '', order = ''] = blocksOf('receiving', 'sh')
    for (const [tarball = ''] of install.matchAll(/plazo-[^ ]+\.tgz/g))
      expect(readdirSync(project)).toContain(tarball)
    expect(install).toContain(`fp-ts@${manifestOf('core').dependencies?.['fp-ts']}`)
    const [sandboxPort, shopPort] = [await freePort(), await freePort()]
    const sandbox = program([cli, 'serve'], {
      PORT: `${sandboxPort}`,
      DATABASE_URL: 'sqlite::memory:',
    })
    const [, secret = '', file = ''] = /SIGNATURE_SECRETS=(\w+) .*node (\S+)$/m.exec(start) ?? []
    const shop = program([file], { PORT: `${shopPort}`, SIGNATURE_SECRETS: secret })
    onTestFinished(async () => void (await Promise.all([sandbox.stop(), shop.stop()])))
    await Promise.all([sandbox.printedText('"started"'), shop.printedText('/plazo')])
    expect(sandbox.output()).toContain(secret)
    const answers = await runProgram('sh', [
      '-c',
      order.replaceAll('3000', `${sandboxPort}`).replaceAll('8080', `${shopPort}`),
    ])
    expect(answers).toMatch(/"action":"finish".*\n$/)
    await shop.printedText('  response: 200 (empty)')
    expect(shop.output()).toMatch(/POST order_ref=[\w-]+&order_ref_1=&.*=approved&/)
  })

  it('can be required by a CommonJS project', async () => {
    const required = importPaths().filter((door) => !door.endsWith('/vitest'))
    const program = `console.log(${JSON.stringify(required)}.filter((door) => Object.keys(require(door)).length > 0).length)`
    expect(await run('--input-type=commonjs', '--eval', program)).toBe(`${required.length}\n`)
  })

  // The example of PostgreSQL needs a server, and those of the contracts a test runner. The compiler
  // below checks them all.
  it('begin each entry with an example that runs', async () => {
    const examples = [...entryExamples()]
    expect(examples.filter(([, example]) => example === '').map(([entry]) => entry)).toEqual([])
    const entries = examples
      .map(([name]) => name)
      .filter((name) => !/postgres|contracts|testing\/(?:node|vitest)$/.test(name))
    // One process loads the packages once, and ends if no example leaves anything open.
    const program = entries.map(
      (entry) => `console.log('# ${entry}'); await import('./${fileOfExample(entry)}')\n`,
    )
    writeFileSync(join(project, 'examples.mjs'), program.join(''))
    const [, ...outputs] = (await run('examples.mjs')).split(/^# /m)
    expect(outputs).toEqual(entries.map((entry) => expect.stringMatching(`^${entry}\n.`)))
    expect(await run(fileOfExample('@plazo/core/testing/node'))).not.toBe('')
  })

  it('can hold an adapter to its contract, with the same promises in each runner', async () => {
    const [program = ''] = blocksOf('testing', 'ts')
    for (const runner of ['vitest', 'node'])
      writeFileSync(join(project, `store-${runner}.test.ts`), program.replace('vitest', runner))
    const count = await countPassed('vitest', 'store-vitest')
    expect(count).toBeGreaterThan(60)
    expect(await countPassed('node', 'store-node.test.ts')).toBe(count)
    expect(await countPassed('vitest', 'contracts-example vitest-example')).toBeGreaterThan(1)
  })

  it('require an xstate that the project may choose within a range', () => {
    for (const name of ['core', 'adapters']) {
      expect(manifestOf(name).peerDependencies).toMatchObject({ xstate: '^5.33' })
      expect(manifestOf(name).dependencies).not.toHaveProperty('xstate')
    }
    expect(manifestOf('server').dependencies).toMatchObject({ xstate: '^5.33' })
  })

  it('finish an order with the patch of xstate before', async () => {
    linkPackage('xstate', root, 'xstate-before', modules)
    onTestFinished(() => linkPackage('xstate', root, 'xstate', modules))
    expect(await run('embedding.ts')).toContain("action: 'finish'")
  })

  it('export a name for every type that their exports use', () => {
    for (const name of PACKAGES) {
      const exported = [...entryPointsOf(folderOf(name)).values()].flatMap((door) => [
        ...exportsOf(door),
      ])
      const named = [...allEntryPointsOf(folderOf(name)).values()].flatMap((door) => [
        ...exportsOf(door).values(),
      ])
      const open = new Set(named.map((it) => `${it.file} ${it.name}`))
      const unnamed = exported.flatMap(([overrides, it]) =>
        usedTypes(it)
          .filter((type) => !type.isPart && !open.has(`${type.file} ${type.name}`))
          .map((type) => `@plazo/${name}: ${overrides} speaks of ${type.name}`),
      )
      expect(exported.length).toBeGreaterThan(7)
      expect(unnamed).toEqual([])
    }
  })

  it('pass a compiler with only strict', async () => {
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts', '*.cts'] }),
    )
    writeFileSync(
      join(project, 'doors.ts'),
      importPaths()
        .map((door, index) => `export * as door${index} from '${door}'\n`)
        .join(''),
    )
    writeFileSync(join(project, 'doors.cts'), readFileSync(join(project, 'doors.ts')))
    expect(await run(join(modules, 'typescript/bin/tsc'), '-p', '.')).toBe('')
  })
})
