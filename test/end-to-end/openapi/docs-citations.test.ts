// Every link of the pages must lead somewhere, and their lists must match the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const docs = join(root, 'docs')

const read = (file: string): string => readFileSync(file, 'utf8')

const rowsOf = (section: string): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => /^\s*\|/.test(line) && !/^\s*\|-/.test(line))
    .map((line) => line.trim().slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))

const quotedWords = (text = ''): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)

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

describe('docs/operations.md', () => {
  const page = read(join(docs, 'operations.md'))
  const rowsUnder = (heading: string): readonly (readonly string[])[] =>
    rowsOf(new RegExp(`\\n## ${heading}\\n([\\s\\S]*?)\\n## `).exec(page)?.[1] ?? '')

  it('has every setting, and no other', () => {
    const documented = rowsUnder('Settings')
      .flatMap(([name]) => quotedWords(name))
      .filter((name) => /^[A-Z_]+$/.test(name))
    const names = ['settings/config.ts', 'settings/legal-settings.ts'].flatMap((file) => {
      const code = read(join(root, 'packages/server/src', file))
      const [, there = ''] = /\nconst (?:SETTINGS|NAMES) = \{\n([\s\S]*?)\n\}/.exec(code) ?? []
      return [...there.matchAll(/^ {2}([A-Z_]+): /gm)].map(([, name]) => name)
    })
    expect([...new Set(documented)].sort()).toEqual(names.sort())
  })

  it('has every alert of the log, and no other', () => {
    const documented = rowsUnder('Log and alerts')
      .flatMap(([name]) => quotedWords(name))
      .filter((name) => /^[a-z_]+$/.test(name) && name !== 'alert')
    const code = read(join(root, 'packages/server/src/log/log.ts'))
    const [, alerts = ''] = /\nconst ALERTS = \{\n([\s\S]*?)\n\}/.exec(code) ?? []
    const there = [...alerts.matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) => name)
    expect([...documented].sort()).toEqual(there.sort())
  })
})
