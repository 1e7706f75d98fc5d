// Compiles every program in the docs with our own compiler settings, which also reject unused declarations.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
// Inside the folder of the tests, so that imports find the packages.
const folder = fileURLToPath(new URL('./generated/types', import.meta.url))
const base = fileURLToPath(new URL('../../tsconfig.base.json', import.meta.url))
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const programs = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) =>
    [...readFileSync(join(docs, file), 'utf8').matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, program = ''], index) =>
        [`${file.replace('.md', '').replaceAll(/[/\\]/g, '-')}-${index + 1}.ts`, program] as const,
    ),
  )

/** The compiler's errors; empty if there are none. */
const complaints = (): string => {
  try {
    return execFileSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout)
  }
}

it('the programs in the docs compile', () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: base, include: ['*.ts'] }))
  for (const [name, program] of programs) writeFileSync(join(folder, name), program)
  expect(programs.length).toBeGreaterThan(5)
  expect(complaints()).toBe('')
})
