// Keeps docs/delivery.md and the tests in step: the page lists the forty cases by the titles of
// their tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const folder = fileURLToPath(new URL('.', import.meta.url))
const page = readFileSync(join(folder, '../../../docs/delivery.md'), 'utf8')

const folderOf = (file: string): string =>
  file.startsWith('cluster/') ? join(folder, '../../faults') : folder

const titles = (file: string): readonly string[] =>
  [...readFileSync(join(folderOf(file), file), 'utf8').matchAll(/\bit\(\s*'(\d+\. [^']*)'/g)].map(
    ([, title = '']) => title,
  )

it('each of the forty cases has one test, and docs/delivery.md lists them by their titles', () => {
  const tests = [
    ...readdirSync(folder).filter((file) => file.endsWith('.test.ts')),
    'cluster/run.test.ts',
  ].flatMap((file) => titles(file).map((title) => `${title} | ${file}`))
  const listed = [...page.matchAll(/^\| `(\d+\. [^`]*)` \| (\S+) \|$/gm)].map(
    ([, title, file]) => `${title} | ${file}`,
  )
  const numbers = listed.map((line) => Number.parseInt(line, 10))
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  expect([...tests].sort()).toEqual([...listed].sort())
})
