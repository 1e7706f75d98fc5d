// A picture that is missing, or too large to load, is noticed only by readers.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const LIMIT_BYTES = 300 * 1024

const guides = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

const pictures = guides.flatMap((guide) =>
  [...readFileSync(join(root, guide), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(
    ([, text = '', target = '']) => ({
      guide,
      text,
      file: join(dirname(join(root, guide)), target),
    }),
  ),
)

it('each picture in the documentation exists, has a text, and is not too large', () => {
  expect(pictures.length).toBeGreaterThan(2)
  for (const { guide, text, file } of pictures) {
    const name = `${guide}: ${relative(root, file)}`
    expect(existsSync(file), name).toBe(true)
    expect(text.length, name).toBeGreaterThan(10)
    if (file.endsWith('.png')) expect(statSync(file).size, name).toBeLessThanOrEqual(LIMIT_BYTES)
  }
})

it('each screenshot is shown somewhere', () => {
  const files = pictures.map(({ file }) => file)
  const folder = join(root, 'docs/pictures')
  for (const file of existsSync(folder) ? readdirSync(folder) : [])
    expect(files).toContain(join(folder, file))
})
