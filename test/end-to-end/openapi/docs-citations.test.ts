// Code and tests cite sections of the documentation pages. Every citation must lead somewhere, and
// the pages' lists must match the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TRIGGERS } from '@plazo/adapters/sandbox'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const docs = join(root, 'docs')

const read = (file: string): string => readFileSync(file, 'utf8')

const RULES = read(join(docs, 'sandbox-rules.md'))
const PAGES = {
  interface: read(join(docs, 'interface.md')),
  contract: read(join(docs, 'contract.md')),
}

/**
 * Headings by their number, for example `6.1`, and the numbered items of a section, for example
 * `7.3`.
 */
const sectionsOf = (page: string): ReadonlyMap<string, string> => {
  const sections = new Map<string, string>()
  let current = ''
  for (const line of page.split('\n')) {
    const [, heading] = /^##+ (\d+(?:\.\d+)?)\.? /.exec(line) ?? []
    const [, point] = /^(\d+)\. /.exec(line) ?? []
    if (heading !== undefined) current = heading
    sections.set(current, `${sections.get(current) ?? ''}${line}\n`)
    if (point !== undefined) sections.set(`${current}.${point}`, line)
  }
  return sections
}

const sections = { interface: sectionsOf(PAGES.interface), contract: sectionsOf(PAGES.contract) }

const rowsOf = (section: string): readonly (readonly string[])[] =>
  section
    .split('\n')
    .filter((line) => /^\s*\|/.test(line) && !/^\s*\|-/.test(line))
    .map((line) => line.trim().slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.trim()))

const quotedWords = (text = ''): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word)

const isGenerated = /node_modules|\bgenerated\b|\.svg$|CHANGELOG/

const filesUnder = (folder: string, kind: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => kind.test(file) && !isGenerated.test(file))

const PROSE = ['README.md', 'CONTRIBUTING.md', ...filesUnder('docs', /\.md$/)]
const CITING = [...PROSE, ...['packages', 'test'].flatMap((folder) => filesUnder(folder, /\.ts$/))]

const CITATION =
  /\b(interface|contract)(?:\.md)? (§\d+(?:\.\d+)?(?:(?:,| and| to) §\d+(?:\.\d+)?)*)/gi

// A citation may continue on the next line of its comment.
const joinLines = (text: string): string => text.replaceAll(/\n\s*(?:\/\/|\*)?\s*/g, ' ')

const citationsIn = (
  text: string,
): readonly (readonly [page: keyof typeof sections, section: string])[] =>
  [...joinLines(text).matchAll(CITATION)].flatMap(([, page = '', list = '']) =>
    [...list.matchAll(/§([\d.]*\d)/g)].map(
      ([, section = '']) => [page.toLowerCase() as keyof typeof sections, section] as const,
    ),
  )

/** The anchors of the headings: lower case, no punctuation, hyphens for blanks. */
const anchorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/&\w+;/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

describe('the pages that code and tests cite', () => {
  it('have every cited section', () => {
    const nowhere = CITING.flatMap((file) =>
      citationsIn(read(join(root, file)))
        .filter(([page, section]) => !sections[page].has(section))
        .map(([page, section]) => `${file}: ${page} §${section}`),
    )
    expect(nowhere).toEqual([])
    expect(CITING.flatMap((file) => citationsIn(read(join(root, file)))).length).toBeGreaterThan(
      300,
    )
  })

  it('link, like all pages, only to existing files and headings', () => {
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

describe('docs/sandbox-rules.md', () => {
  it('has all triggers', () => {
    const [, rows = ''] = /\n## Triggers\n([\s\S]*?)\n## /.exec(RULES) ?? []
    const documented = rowsOf(rows)
      .slice(1)
      .flatMap(([surnames]) => quotedWords(surnames))
    expect([...documented].sort()).toEqual(TRIGGERS.map(({ surnames }) => surnames).sort())
  })
})
