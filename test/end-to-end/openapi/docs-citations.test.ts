// Code and tests cite sections of the documentation pages. Every citation must lead somewhere, and
// the pages' lists must match the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TRIGGERS } from '@plazo/adapters/sandbox'
import { ACCEPTED_STATUSES } from '@plazo/core/ports'
import {
  CATALOGUE,
  currencyTerms,
  IdentificationAction,
  type JsonSchema,
  PRICED_CURRENCIES,
  reflector,
  StateOnWire,
  WaitAction,
} from '@plazo/core/protocol'
import type * as t from 'io-ts'
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

const numbersIn = (text = ''): readonly number[] => (text.match(/\d+/g) ?? []).map(Number)

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

// Citations with words after the section: `Contract §4, Saved cards`, `Interface §6.1, toolate` or
// `Interface §6.1, rule 3`.
const NARROWED =
  /\b([Ii]nterface|[Cc]ontract) §(\d+(?:\.\d+)?), (rule \d|cancel answers|(?:ID|OTP|[A-Z][a-z]+)(?: [a-z]+)*|[a-z]+)(?=[.,;:`']|$)/gm

const narrowingsIn = (text: string) =>
  [...joinLines(text).matchAll(NARROWED)].map(([, page = '', section = '', words = '']) => ({
    page: page.toLowerCase() as keyof typeof sections,
    section,
    words,
  }))

/** `Sandbox rules, Pages, Timeline and Runs` cites three sections. */
const RULES_CITED =
  /\bSandbox rules, ([A-Z]\w+(?: [a-z]+)*?(?:(?:, | and )[A-Z]\w+(?: [a-z]+)*?)*)(?=[.;`])/g

const rulesCitedIn = (text: string): readonly string[] =>
  [...joinLines(text).matchAll(RULES_CITED)].flatMap(([, list = '']) => list.split(/, | and /))

/** The anchors of the headings: lower case, no punctuation, hyphens for blanks. */
const anchorsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/&\w+;/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

const WORDS = reflector('#/')
const membersOf = (schema: JsonSchema): Readonly<Record<string, JsonSchema>> =>
  (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
const componentOf = (codec: t.Mixed): JsonSchema => {
  const { $ref } = WORDS.schemaOf(codec)
  return WORDS.components()[String($ref).slice(2)] ?? {}
}

/** Each action with its attributes, from its codec. */
const actionsOf = (codec: t.Mixed): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    (componentOf(codec).oneOf as readonly JsonSchema[])
      .map(membersOf)
      .map(({ action = {}, ...carried }) => [String(action.const), Object.keys(carried).sort()]),
  )

/** Each action in a table `| action | means | carries |`. */
const documentedActions = (section: string): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    rowsOf(section)
      .slice(1)
      .map(([action, , carries]) => [quotedWords(action)[0], [...quotedWords(carries)].sort()]),
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

  it('contain, in that section, the words that a citation adds', () => {
    const has = (page: keyof typeof sections, section: string, words: string): boolean =>
      words.startsWith('rule ')
        ? sections[page].has(`${section}.${words.slice(5)}`)
        : (sections[page].get(section) ?? '').toLowerCase().includes(words.toLowerCase())
    const narrowings = CITING.flatMap((file) =>
      narrowingsIn(read(join(root, file))).map((narrowing) => ({ file, ...narrowing })),
    )
    const missing = narrowings.filter(({ page, section, words }) => !has(page, section, words))
    expect(
      missing.map(({ file, page, section, words }) => `${file}: ${page} §${section}, ${words}`),
    ).toEqual([])
    expect(narrowings.length).toBeGreaterThan(40)
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

describe('docs/interface.md', () => {
  it('has the actions of identification with their attributes', () => {
    expect(documentedActions(sections.interface.get('4.1') ?? '')).toEqual(
      actionsOf(IdentificationAction),
    )
  })

  it('has the actions of wait with their attributes', () => {
    expect(documentedActions(sections.interface.get('4.2') ?? '')).toEqual(actionsOf(WaitAction))
  })

  it('describes every attribute of an action', () => {
    const documented = rowsOf(sections.interface.get('2.2') ?? '').flatMap(([attribute]) =>
      quotedWords(attribute),
    )
    const carried = [IdentificationAction, WaitAction].flatMap((codec) =>
      Object.values(actionsOf(codec)).flat(),
    )
    expect([...new Set(documented)].sort()).toEqual([...new Set(carried)].sort())
  })

  it('has the statuses that each event accepts', () => {
    const documented = rowsOf(sections.interface.get('6.1') ?? '')
      .slice(1, 5)
      .map(([event, , accepted]) => [quotedWords(event)[0], numbersIn(accepted)] as const)
    const { identification_action: informative, ...lifecycle } = ACCEPTED_STATUSES
    const same = (codes: readonly number[]): readonly number[] =>
      codes.length === 0 ? informative : codes
    expect(Object.fromEntries(documented.map(([event, codes]) => [event, same(codes)]))).toEqual(
      lifecycle,
    )
  })

  it('names the responsible file in each section with rules', () => {
    const deciding = ['2.1', '2.2', '2.3', '4.1', '4.2', '4.3', '4.4', '5', '6.1', '6.2']
    expect(
      deciding.filter((at) => !sections.interface.get(at)?.includes('](../packages/')),
    ).toEqual([])
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

describe('docs/contract.md', () => {
  it('names the responsible file, or page, with each rule', () => {
    const rules = PAGES.contract.split(/\n(?=- \*\*|#)/).filter((part) => part.startsWith('- **'))
    const unnamed = rules.filter((rule) => !/\]\((\.\.\/packages\/|[\w-]+\.md)/.test(rule))
    expect(unnamed.map((rule) => /\*\*(.*?)\*\*/.exec(rule)?.[1])).toEqual([])
    expect(rules.length).toBeGreaterThan(40)
  })

  it('names every state of the three regions', () => {
    const [, documented = ''] =
      /\*\*States\*\*([\s\S]*?)\n- /.exec(sections.contract.get('3') ?? '') ?? []
    const regions = Object.values(membersOf(componentOf(StateOnWire)))
    const states = regions.flatMap((region) => region.enum as readonly string[])
    expect(quotedWords(documented.split('[')[0])).toEqual(states)
  })

  it('has the products, each with its default number of instalments first, and which have a fee', () => {
    const documented = rowsOf(sections.contract.get('4') ?? '')
      .filter(
        (row) => row.length === 4 && CATALOGUE.some(({ code }) => code === quotedWords(row[0])[0]),
      )
      .map(([product, counts, fees]) => [
        quotedWords(product)[0],
        numbersIn(counts),
        fees !== 'none',
      ])
    expect(documented).toEqual(CATALOGUE.map((it) => [it.code, it.instalmentCounts, it.hasFee]))
  })

  it('has the limits and the fee of each currency', () => {
    const documented = rowsOf(sections.contract.get('4') ?? '')
      .filter((row) => row.length === 4 && PRICED_CURRENCIES.includes(row[0] ?? ''))
      .map(([currency, ...numbers]) => [
        currency,
        ...numbers.map((number) => Number(number.replaceAll(',', ''))),
      ])
    const terms = PRICED_CURRENCIES.map((currency) => [
      currency,
      ...Object.values(currencyTerms(currency)),
    ])
    expect(documented).toEqual(terms)
  })
})

describe('docs/sandbox-rules.md', () => {
  it('has every cited section', () => {
    const sections = new Set(RULES.match(/(?<=^## ).*$/gm))
    const citations = CITING.flatMap((file) =>
      rulesCitedIn(read(join(root, file))).map((section) => ({ file, section })),
    )
    expect(citations.filter(({ section }) => !sections.has(section))).toEqual([])
    expect(citations.length).toBeGreaterThan(20)
  })

  it('has all triggers', () => {
    const [, rows = ''] = /\n## Triggers\n([\s\S]*?)\n## /.exec(RULES) ?? []
    const documented = rowsOf(rows)
      .slice(1)
      .flatMap(([surnames]) => quotedWords(surnames))
    expect([...documented].sort()).toEqual(TRIGGERS.map(({ surnames }) => surnames).sort())
  })
})
