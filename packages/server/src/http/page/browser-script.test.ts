import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { browserScript, classicScript } from './browser-script.ts'

/** As lines, because other tests search this file for imports and exports. */
const FILES = {
  'entry.ts': [
    '// The entry.',
    "import type { Never } from './types.ts'",
    "import { type Deep, name as other, twice } from './one.ts'",
    "import * as two from './two.ts'",
    "import './effect.ts'",
    '/** A comment',
    ' * of several lines. */',
    "const name: string = 'entry' // stays",
    'export const result = [name, other, two.name, twice(2), (globalThis as { ran?: number }).ran]',
  ],
  'one.ts': [
    "import { name as deep } from './deep.ts'",
    "import './effect.ts'",
    'export type Deep = string',
    "export const name: Deep = deep + '/one'",
    'export async function later() {}',
    'export const twice = (number: number): number => 2 * number',
  ],
  'two.ts': ["import { name as deep } from './deep.ts'", "export const name = deep + '/two'"],
  'deep.ts': ["export const name = 'deep'"],
  'effect.ts': [
    'const globals = globalThis as { ran?: number }',
    'globals.ran = (globals.ran ?? 0) + 1',
  ],
}

type Files = { readonly [name in keyof typeof FILES]: readonly string[] }

/** `changes`: other contents of these files. */
const scriptOf = (changes: Partial<Files> = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'browser-script-'))
  for (const [file, lines] of Object.entries({ ...FILES, ...changes }))
    writeFileSync(join(folder, file), `${lines.join('\n')}\n`)
  const script = browserScript(pathToFileURL(join(folder, 'entry.ts')))
  rmSync(folder, { recursive: true })
  return script
}

const placesOf = (body: string, parts: readonly string[]) =>
  parts.map((part) => body.split(part).length - 1)

it('joins each imported module once, in the order in which they run, and keeps their names apart', async () => {
  const body = scriptOf().body()
  expect(placesOf(body, ["'deep'", "'/one'", "'/two'", 'globals.ran = '])).toEqual([1, 1, 1, 1])
  const { result } = await import(`data:text/javascript,${encodeURIComponent(body)}`)
  expect(result).toEqual(['entry', 'deep/one', 'deep/two', 4, 1])
})

it('has no types, no imports, and no comment that has a line of its own', () => {
  const body = scriptOf().body()
  expect(
    placesOf(body, ['Never', ': string', 'import ', 'The entry', 'several lines', '// stays']),
  ).toEqual([...[0, 0, 0, 0, 0, 1]])
})

it('is also a classic script, with constants of the page that serves it', () => {
  const body = classicScript(
    scriptOf({ 'entry.ts': ['export const served = report(SERVICE)'] }),
    'plazo',
  )
  const reports: string[] = []
  new Function('report', body)((service: string) => reports.push(service))
  expect(reports).toEqual(['plazo'])
})

it.each(Object.keys(FILES) as (keyof Files)[])(
  'has another path after a change of %s, and the same without one',
  (file) => {
    expect(scriptOf({ [file]: [...FILES[file], 'const changed = true'] }).path).not.toBe(
      scriptOf().path,
    )
    expect(scriptOf().path).toBe(scriptOf().path)
  },
)

it.each(['export default 1', 'export { name }', "import { name } from 'elsewhere'"])(
  'names a line that it cannot join: %s',
  (line) => {
    const script = scriptOf({ 'two.ts': ['const name = 1', line] })
    expect(() => script.body()).toThrow(`two.ts must not have the line "${line}"`)
  },
)
