// Compiles every program in the docs and every example of a doc comment, and runs the programs of the
// guides to embedding, testing and the machine unchanged, so that they stay correct. The tests that
// the guide to testing defines become tests of this file.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  awaitOutcome,
  type CheckUrl,
  type DueEffectHandlers,
  type Host,
  type Merchants,
  type Providers,
  placeOrder,
  reply,
  type runDueEffects,
  submitIdentification,
} from '@plazo/core/internal'
import { aMerchant, terms, unwrap } from '@plazo/core/testing/contracts'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { docCommentsOf } from '../harness/package-exports.ts'
import { pathOfTest } from '../harness/path-of-test.ts'
import { startServer } from '../harness/running-server.ts'
import { orderBody, PERSON } from '../harness/shop.ts'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
// Inside the folder of the tests, so that imports find the packages.
const folder = fileURLToPath(new URL('./generated/guides', import.meta.url))

const programsOf = (page: string): readonly string[] =>
  [...readFileSync(join(docs, page), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
    ([, program = '']) => program,
  )

const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
)
const fileOf = (page: string, index: number): string =>
  `${folder}/${page.replace('.md', '').replaceAll(/[/\\]/g, '-')}-${index}.ts`

/** The examples of doc comments by their export, with imports for all that they take as given. */
const examplesOf = (packageFolder: string): readonly (readonly [name: string, text: string])[] => {
  const comments = [...docCommentsOf(packageFolder)]
  const values = readFileSync(new URL('./example-values.ts', import.meta.url), 'utf8')
  const sources = new Map([
    ...comments.map(([key]) => key.split(' ').toReversed() as [string, string]).toReversed(),
    ...[...values.matchAll(/^export (?:declare const|.* as|\{) (\w+)/gm)].map(
      ([, name = '']) => [name, '../../example-values.ts'] as const,
    ),
  ])
  return comments.flatMap(([key, comment]) => {
    const [, lines] = /@example\n \* ```ts\n([\s\S]*?)^ \* ```/m.exec(comment ?? '') ?? []
    if (lines === undefined) return []
    const example = lines.replaceAll(/^ \* ?/gm, '')
    const code = example.replaceAll(/\/\/.*$|'[^'\n]*'/gm, '')
    const declared = new Set(code.match(/(?<=\bconst (?:\{[^}]*)?)\w+/g))
    const used = new Set(code.match(/(?<![\w)\]?]\.|\w)[A-Za-z]\w*(?!\w*:)/g))
    const imports = [...used].flatMap((name) => {
      const source = declared.has(name) ? undefined : sources.get(name)
      return source === undefined
        ? []
        : `import { ${/^[A-Z][a-z]/.test(name) ? 'type ' : ''}${name} } from '${source}'\n`
    })
    return [[key.replaceAll(/\W+/g, '-'), `${imports.join('')}${example}export {}\n`]]
  })
}
const examples = examplesOf(fileURLToPath(new URL('../../packages/core', import.meta.url)))

const server = await startServer()
process.env.SERVER_URL = server.url
vi.spyOn(console, 'log').mockImplementation(() => {})
mkdirSync(folder, { recursive: true })
for (const page of pages)
  for (const [index, program] of programsOf(page).entries())
    writeFileSync(fileOf(page, index), program)
for (const [name, text] of examples) writeFileSync(`${folder}/${name}.ts`, text)
for (const index of programsOf('testing.md').keys()) await import(fileOf('testing.md', index))

afterAll(async () => {
  delete process.env.SERVER_URL
  rmSync(folder, { recursive: true, force: true })
  await server.stop()
})

/** Returns what the program prints. */
const run = (file: string): string => execFileSync(process.execPath, [file], { encoding: 'utf8' })

it('the programs in the docs and in doc comments compile with our own settings, which also reject unused declarations', () => {
  const base = fileURLToPath(new URL('../../tsconfig.base.json', import.meta.url))
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  )
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: base, include: ['*.ts'] }))
  expect(pages.flatMap(programsOf).length).toBeGreaterThan(5)
  expect(examples.length).toBeGreaterThan(30)
  const complaints = (): string => {
    try {
      return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
    } catch (error) {
      return String((error as { readonly stdout?: unknown }).stdout)
    }
  }
  expect(complaints()).toBe('')
})

it('the program in docs/machine follows an actor of the machine', () => {
  const lines = run(fileOf('machine/README.md', 0)).trim().split('\n')
  const states = lines.filter((line) => line.startsWith('{"'))
  expect(states.map((line) => line.match(/identifying|verifyingPhone|screening/)?.[0])).toEqual([
    'identifying',
    'verifyingPhone',
    'screening',
  ])
  expect(lines.join('\n')).toMatch(/^sendCode [\s\S]*^revoke \{ lane: 'sms' \}[\s\S]*^screen /m)
})

describe('docs/testing.md', () => {
  const programs = programsOf('testing.md')

  it('shows six uses, each in about twenty lines', () => {
    expect(programs).toHaveLength(6)
    for (const program of programs)
      expect(program.trim().split('\n').length).toBeLessThanOrEqual(24)
  })

  it('gives the program that exceeds vitest’s timeout its own limit', () => {
    expect(programs.find((program) => program.includes('conform('))).toMatch(/^\}, \d/m)
  })
})

describe('the program in docs/embedding.md', () => {
  it('takes a checkout from its first submission to finish', () => {
    const printed = run(fileOf('embedding.md', 0))
    expect([...printed.matchAll(/action: '(\w+)'/g)].map(([, action]) => action)).toEqual([
      'require_validate_otp',
      'wait_for_screening',
      'wait_for_confirmation',
      'finish',
    ])
  })

  it('has about sixty lines, including blank ones, and fits on a page', () => {
    const lines = (programsOf('embedding.md')[0] ?? '').trim().split('\n')
    expect(lines.length).toBeLessThanOrEqual(64)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120)
  })
})

it('the program in docs/hosts/own-database.md commits an order with its own row, or neither', () => {
  expect(run(fileOf('hosts/own-database.md', 0)).trim().split('\n')).toEqual([
    'Right',
    'The basket is empty.',
    expect.stringContaining('baskets: 1'),
  ])
})

type OpenedHost = {
  readonly host: Host
  readonly merchants: Merchants
  readonly guard: { readonly checkUrl: CheckUrl; readonly checkPage: CheckUrl }
  readonly now: ReturnType<typeof runDueEffects>
  readonly close: () => Promise<void>
}

const USE_CASES = 'hosts/use-cases.md'

it('the host of docs/hosts/use-cases.md with a database file continues where it was closed', async () => {
  const program = programsOf(USE_CASES).findIndex((text) => text.includes('openSqlite('))
  const { openHost } = await import(fileOf(USE_CASES, program))
  const path = pathOfTest('plazo.db')
  const texts: string[] = []
  const send: Providers['sms']['send'] = ({ key }) => {
    texts.push(key)
    return TE.right(reply(null))
  }
  const performers = { providers: { sms: { send } } } as unknown as DueEffectHandlers
  const open = (): OpenedHost => openHost(path, terms, performers)

  const before = open()
  await unwrap(before.merchants.add(aMerchant()))
  const place = placeOrder(before.host, before.guard.checkUrl, before.guard.checkPage)
  expect(await place(aMerchant(), orderBody())()).toMatchObject({ left: { _tag: 'Refused' } })
  const orderRef = await unwrap(place(aMerchant(), orderBody({}, 'https://shop.example')))
  await unwrap(submitIdentification(before.host)(orderRef, PERSON))
  await before.close()

  const after = open()
  await unwrap(after.now)
  expect(texts).toHaveLength(1)
  expect(await unwrap(awaitOutcome(after.host)(orderRef))).toMatchObject({
    action: 'require_validate_otp',
  })
  await after.close()
})
