// Every link of the pages must lead somewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const docs = join(root, 'docs')

const read = (file: string): string => readFileSync(file, 'utf8')

const PROSE = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
]

/** The anchors of the headings: lower case, no punctuation, hyphens for blanks. */
const anchorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/&\w+;/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

it('the pages link only to existing files and headings', () => {
  const broken = PROSE.flatMap((file) => {
    const page = read(join(root, file))
    const text = page.replaceAll(/^```[\s\S]*?^```/gm, '')
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => {
        const [path = '', anchor] = target.split('#')
        const to = path === '' ? join(root, file) : resolve(dirname(join(root, file)), path)
        return !existsSync(to) || (anchor !== undefined && !anchorsOf(read(to)).includes(anchor))
      })
      .map((target) => `${file}: ${target}`)
  })
  expect(broken).toEqual([])
})
