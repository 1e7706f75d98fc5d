// Keeps the English plain: without this test, words that only the authors understand come back.
// Each failure names the file, the line and what to write instead.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

// The words are data, so that this file can obey its own rules. Each is paired with what to write
// instead.
type WordList = readonly (readonly [word: string, instead: string])[]
const WORDS: {
  readonly dialect: WordList
  readonly dialectOfMessages: WordList
  readonly dialectOfTitles: WordList
  readonly oldNames: Readonly<Record<string, string>>
  readonly oldFileNames: readonly string[]
  readonly vagueNames: Readonly<Record<string, string>>
} = JSON.parse(readFileSync(new URL('tidy-words.json', import.meta.url), 'utf8'))

const isLeftOut = /node_modules|\bgenerated\b|\bdist\b|\.svg$/

const filesUnder = (folder: string, kind: RegExp): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => kind.test(file) && !isLeftOut.test(file))

const CODE = ['packages', 'test'].flatMap((folder) => filesUnder(folder, /\.(ts|js)$/))
const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesUnder('docs', /\.md$/)]

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(root, file), 'utf8').split('\n')

/** A line of text, and where it is. */
type Line = { readonly at: string; readonly text: string }

const locate = (file: string, lines: readonly string[]): readonly Line[] =>
  lines.map((text, index) => ({ at: `${file}:${index + 1}`, text }))

const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*)\s?(.*?)(?:\*\/)?$|\s\/\/ (.*)$/

const commentsOf = (file: string): readonly Line[] =>
  locate(
    file,
    linesOf(file).map((line) => {
      const [, whole, trailing] = COMMENT.exec(line) ?? []
      return (whole ?? trailing ?? '').replaceAll(/`[^`]*`/g, 'code')
    }),
  )

/** The lines of a page without code blocks, tables and code in a line. */
const proseOf = (file: string): readonly Line[] => {
  let isCode = false
  return locate(
    file,
    linesOf(file).map((line) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode
      return isCode || /^\s*(```|~~~|\||<)/.test(line) ? '' : line.replaceAll(/`[^`]*`/g, 'code')
    }),
  )
}

/** Says for each word of the lists that the text contains what to write instead. */
const dialectIn = (...lists: readonly WordList[]): ((line: Line) => readonly string[]) => {
  const words = lists.flat().map(([word, instead]) => [new RegExp(word, 'i'), instead] as const)
  return ({ at, text }) =>
    words.flatMap(([word, instead]) => {
      const [match] = word.exec(text) ?? []
      return match === undefined ? [] : `${at} says "${match}". Write instead: ${instead}.`
    })
}

// The messages that the packages print, answer and log. The contracts in testing/ are tests.
const NO_MESSAGES = /\.test\.ts$|\/src\/testing\/|\/schema\/migrations\.ts$/
const SOURCES = filesUnder('packages', /\.ts$/).filter(
  (file) => file.includes('/src/') && !NO_MESSAGES.test(file),
)

type Node = {
  readonly type?: string
  readonly id?: Node
  readonly init?: Node | null
  readonly start?: number
  readonly value?: unknown
  readonly name?: string
  readonly callee?: Node
  readonly object?: Node
  readonly key?: Node
  readonly left?: Node
  readonly argument?: Node
  readonly elements?: readonly (Node | null)[]
  readonly properties?: readonly Node[]
  readonly params?: readonly Node[]
  readonly shorthand?: boolean
  readonly tag?: Node
  readonly arguments?: readonly Node[]
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

/** Null if the node is no literal. A template counts without its parameters. */
const literalOf = ({ type, value, quasis }: Node): string | null => {
  if (type === 'TemplateLiteral') return (quasis ?? []).map((part) => part.value.raw).join('')
  return type === 'Literal' && typeof value === 'string' ? value : null
}

/** The texts that `read` finds in the nodes of a file. */
const textsIn = (file: string, read: (node: Node) => string | null): readonly Line[] => {
  const source = readFileSync(join(root, file), 'utf8')
  const texts: Line[] = []
  const collect = (node: Node): void => {
    const text = read(node)
    if (text !== null)
      texts.push({ at: `${file}:${source.slice(0, node.start).split('\n').length}`, text })
    for (const child of Object.values(node))
      if (typeof child === 'object' && child !== null) collect(child)
  }
  collect(parseAst(source, { lang: 'ts' }) as Node)
  return texts
}

/** The literals of a file that contain a space: sentences, labels, and SQL. */
const textsOf = (file: string): readonly Line[] =>
  textsIn(file, (node) => {
    const text = literalOf(node)
    return text?.trim().includes(' ') ? text : null
  })

const TESTS = CODE.filter((file) => /\.(?:test|contract)\.ts$/.test(file))

/** The name that a call begins with: `it` for `it.each(rows)('title', test)`. */
const calledBy = ({ name, callee, object, tag }: Node): string | undefined => {
  const inner = callee ?? object ?? tag
  return inner === undefined ? name : calledBy(inner)
}

/** The titles of the tests in a file, and of their groups. */
const titlesOf = (file: string): readonly Line[] =>
  textsIn(file, (node) => {
    const [title, test] = node.arguments ?? []
    const isTest =
      node.type === 'CallExpression' && /^(?:it|test|describe)$/.test(calledBy(node) ?? '')
    return isTest && title !== undefined && test !== undefined ? literalOf(title) : null
  })

// SQL is in lower case up to its first verb.
const SQL =
  /^[^A-Z]*\b(?:(?:insert into|delete from|create table) \w|(?:select|update)\b[^;]*\b(?:from|set)\b)/

// Names on the wire and in the database, and Spanish.
// The name of a moment in a job's life, which tests give to `--at`.
const MOMENT = 'carried out'

const NAMES = /\bshopper\.forgotten\b|\border_ref, forgotten\b|\bHe leído\b/g

/** The most words of a sentence on a page, or of a title. */
const LONGEST = 35

const wordsIn = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

describe('plain English', () => {
  it('comments and pages use the words of the field, not of a dialect', () => {
    const lines = [...CODE.flatMap(commentsOf), ...PAGES.flatMap(proseOf)]
    expect(lines.flatMap(dialectIn(WORDS.dialect))).toEqual([])
    expect(lines.length).toBeGreaterThan(10_000)
  })

  // In comments and pages, some of these words also have a plain meaning.
  it('messages use the words of the field, not of a dialect', () => {
    const texts = SOURCES.flatMap(textsOf).filter(({ text }) => !SQL.test(text) && text !== MOMENT)
    const lines = texts.map(({ at, text }) => ({ at, text: text.replaceAll(NAMES, 'name') }))
    expect(lines.flatMap(dialectIn(WORDS.dialect, WORDS.dialectOfMessages))).toEqual([])
    expect(texts.length).toBeGreaterThan(1_000)
  })

  it('titles of tests use the words of the field, and have at most 35 words', () => {
    const titles = TESTS.flatMap(titlesOf)
    const long = titles.filter(({ text }) => wordsIn(text) > LONGEST)
    expect(long.map(({ at, text }) => `${at} has ${wordsIn(text)} words: ${text}`)).toEqual([])
    expect(titles.flatMap(dialectIn(WORDS.dialect, WORDS.dialectOfTitles))).toEqual([])
    expect(titles.length).toBeGreaterThan(1_500)
  })

  it('the first comment of a file says why the file exists', () => {
    const headers = CODE.flatMap((file) => {
      const [first = ''] = linesOf(file)
      const [, text = ''] = /^\/\/ (.*)$/.exec(first) ?? []
      return /^(?:What|Who|Whose|Whom|Whether)\b/.test(text) ? `${file} begins with "${text}"` : []
    })
    expect(headers).toEqual([])
  })

  it('a file has one header: every later comment belongs to the code below it', () => {
    const loose = CODE.filter((file) => !/\/index\.ts$/.test(file)).flatMap((file) => {
      const lines = linesOf(file)
      const isComment = (at: number): boolean => lines[at]?.startsWith('// ') ?? false
      return lines.flatMap((text, at) => {
        if (!isComment(at) || isComment(at + 1) || lines[at + 1] !== '') return []
        const first = lines.findLastIndex((_, before) => before < at && !isComment(before)) + 1
        const isHeader = first <= 1
        return isHeader || lines[first - 1] !== ''
          ? []
          : [`${file}:${first + 1} is a second header: ${text}`]
      })
    })
    expect(loose).toEqual([])
  })
})

// A participle does not say what a value holds. These names are fixed: members on the wire, a
// shop's answer to an IPN, and a member of a syntax tree.
const VAGUE_NAME = new RegExp(`^(?:${Object.keys(WORDS.vagueNames).join('|')})$`)
const FIXED_NAMES: ReadonlySet<string> = new Set([
  'packages/adapters/src/merchant/handlers.ts taken',
  'test/pages/console-index.test.ts found',
  'test/tidy.test.ts left',
])

/** The names that a pattern declares. A name that is only unpacked was chosen elsewhere. */
const namesIn = (pattern: Node | null | undefined): readonly string[] => {
  if (pattern === null || pattern === undefined) return []
  const { type, name = '', argument, left, elements = [], properties = [] } = pattern
  if (type === 'Identifier') return [name]
  if (type === 'ArrayPattern') return elements.flatMap(namesIn)
  if (type === 'ObjectPattern')
    return properties.flatMap((each) =>
      each.shorthand === true ? [] : namesIn(each.argument ?? (each.value as Node)),
    )
  return namesIn(argument ?? left)
}

/** The names of the values and members that a node declares. */
const namesDeclaredBy = ({ type, id, key, params = [] }: Node): readonly string[] => {
  if (type === 'VariableDeclarator') return namesIn(id)
  return type === 'TSPropertySignature'
    ? namesIn(key)
    : Array.isArray(params)
      ? params.flatMap(namesIn)
      : []
}

// A function needs a verb. These are answers of a shop, values of a codec, and the stages of a
// checkout that e2e tests reach.
const PARTICIPLE = /\bconst [a-z]+(?:ed|ing) = (?:async |[(<]|\w+ =>)/
const ALLOWED_PARTICIPLES =
  /^(?:cancelled|refused|refined|unchanged|setting|identified|screened|revealed|settled|heading|ring)$/

const PRODUCTION_LINES_MAX = 350
const TEST_LINES_MAX = 700
const TINY_LINES = 15

// Files that other programs open by name: entry points, threads and processes.
const isEntryPoint = (file: string): boolean =>
  /\/(index|main|cli|signing|thread|hmac)\.ts$/.test(file) ||
  /-(thread|process|server)\.ts$/.test(file)

describe('names and sizes', () => {
  it('old names do not return', () => {
    const words = new RegExp(`\\b(?:${Object.keys(WORDS.oldNames).join('|')})\\b`, 'g')
    const old = CODE.flatMap((file) =>
      locate(file, linesOf(file)).flatMap(({ at, text }) =>
        [...text.matchAll(words)].map(
          ([name]) => `${at} says ${name}. It is called ${WORDS.oldNames[name]} now.`,
        ),
      ),
    )
    expect(old).toEqual([])
    const files = CODE.filter((file) =>
      WORDS.oldFileNames.includes(file.replace(/^.*\/|(?:\.test|\.sql|\.contract)?\.[jt]s$/g, '')),
    )
    expect(files).toEqual([])
  })

  it('values are named by nouns', () => {
    const isVague = (file: string, name: string): boolean =>
      VAGUE_NAME.test(name) && !FIXED_NAMES.has(`${file} ${name}`)
    const vague = CODE.filter((file) => file.endsWith('.ts')).flatMap((file) =>
      textsIn(file, (node) => namesDeclaredBy(node).find((name) => isVague(file, name)) ?? null),
    )
    expect(
      vague.map(({ at, text }) => `${at} declares ${text}. Name ${WORDS.vagueNames[text]}.`),
    ).toEqual([])
  })

  it('functions are named by verbs', () => {
    const participles = CODE.filter(
      (file) => file.endsWith('.ts') && PARTICIPLE.test(linesOf(file).join('\n')),
    )
      .flatMap((file) =>
        textsIn(file, ({ type, id, init }) => {
          const isFunction =
            type === 'VariableDeclarator' && init?.type === 'ArrowFunctionExpression'
          return isFunction && /^[a-z]+(?:ed|ing)$/.test(id?.name ?? '') ? (id?.name ?? '') : null
        }),
      )
      .filter(({ text }) => !ALLOWED_PARTICIPLES.test(text))
    expect(
      participles.map(
        ({ at, text }) => `${at} is the function ${text}. Begin its name with a verb.`,
      ),
    ).toEqual([])
  })

  it('a file fits on a few screens', () => {
    const long = CODE.filter((file) => file.endsWith('.ts')).flatMap((file) => {
      const isTest = file.startsWith('test/') || /\.test\.ts$|\/testing\//.test(file)
      const [lines, max] = [
        linesOf(file).length - 1,
        isTest ? TEST_LINES_MAX : PRODUCTION_LINES_MAX,
      ]
      return lines > max
        ? [`${file} has ${lines} lines; split it, so that each part has at most ${max}`]
        : []
    })
    expect(long).toEqual([])
  })

  it('no file only passes on exports, or holds one constant', () => {
    const tiny = CODE.filter(
      (file) =>
        /^packages\/.*\.ts$/.test(file) && !file.endsWith('.test.ts') && !isEntryPoint(file),
    ).filter((file) => {
      const lines = linesOf(file).filter((line) => line.trim() !== '' && !line.startsWith('//'))
      const isPassing = lines.every((line) =>
        /^export (?:type )?[*{]|^ {2}[\w ,]+$|^\} from /.test(line),
      )
      const declarations = lines.filter((line) =>
        /^(?:export )?(?:const|type|function)\b/.test(line),
      )
      const isConstant =
        lines.length < TINY_LINES &&
        declarations.length === 1 &&
        /^(?:export )?const\b/.test(declarations[0] ?? '') &&
        !lines.some((line) => line.includes('=>') || /^(?:if|\w+\()/.test(line))
      return isPassing || isConstant
    })
    expect(tiny).toEqual([])
  })
})

/** A page's paragraphs and items, each as one text. */
const paragraphsOf = (file: string): readonly Line[] => {
  const paragraphs: { readonly at: string; text: string }[] = []
  let isOpen = false
  for (const { at, text } of proseOf(file)) {
    const isItem = /^\s*(?:[-*]|\d+\.)\s/.test(text)
    const isEnd = text.trim() === '' || /^#/.test(text)
    const last = paragraphs.at(-1)
    if (isEnd) isOpen = false
    else if (isOpen && !isItem && last !== undefined) last.text += ` ${text.trim()}`
    else {
      paragraphs.push({ at, text: text.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim() })
      isOpen = true
    }
  }
  return paragraphs
}

// Links count by their text. An abbreviation ends no sentence. The name plazo may begin one.
const sentencesOf = (text: string): readonly string[] =>
  text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\b(?:e\.g|i\.e|etc|vs)\./g, 'so')
    .split(/(?<=[.!?:])["’”)*_]*\s+(?=["“(*_]*(?:[\p{Lu}\d]|plazo\b))/u)
    .filter((sentence) => /\p{L}/u.test(sentence))

describe('sentences of the pages', () => {
  const AVERAGE = 20

  it(`have at most ${LONGEST} words`, () => {
    const long = PAGES.flatMap(paragraphsOf).flatMap(({ at, text }) =>
      sentencesOf(text)
        .filter((sentence) => wordsIn(sentence) > LONGEST)
        .map((sentence) => `${at} has ${wordsIn(sentence)} words: ${sentence}`),
    )
    expect(long).toEqual([])
  })

  it.each(PAGES)(`have at most ${AVERAGE} on average in %s`, (page) => {
    const lengths = paragraphsOf(page).flatMap(({ text }) => sentencesOf(text).map(wordsIn))
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
    expect(average).toBeLessThanOrEqual(AVERAGE)
  })
})

describe('names of files in pages and comments', () => {
  const FILES = ['packages', 'test', 'docs'].flatMap((folder) => filesUnder(folder, /\.(ts|js)$/))

  // A page may leave out `packages/` and `src/`: `core/order/step.ts`, or only `step.ts`.
  const inPackage = (name: string): string =>
    name.replace(/^(core|adapters|server)\//, 'packages/$1/src/')

  it('are those of existing files', () => {
    const named = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
      locate(page, linesOf(page)).flatMap(({ at, text }) =>
        [...text.matchAll(/`(\w[\w/.-]*\.(?:ts|js))`/g)].map(([, name = '']) => ({ at, name })),
      ),
    )
    const missing = named.filter(
      ({ name }) => !FILES.some((file) => `/${file}`.endsWith(`/${inPackage(name)}`)),
    )
    expect(missing.map(({ at, name }) => `${at} names ${name}, which does not exist`)).toEqual([])
    expect(named.length).toBeGreaterThan(100)
  })

  it('are those of existing files in comments too', () => {
    const named = CODE.flatMap(commentsOf).flatMap(({ at, text }) =>
      [...text.matchAll(/[\w/.-]*\w\.ts\b/g)].map(([name]) => ({
        at,
        name: name.replace(/^[./]+/, ''),
      })),
    )
    const missing = named.filter(
      ({ name }) => !FILES.some((file) => `/${file}`.endsWith(`/${inPackage(name)}`)),
    )
    expect(missing.map(({ at, name }) => `${at} names ${name}, which does not exist`)).toEqual([])
  })

  it('are, as the text of a link, the file that the link leads to', () => {
    const wrong = PAGES.flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\[`([^`\]]+\.ts)`\]\(([^)]+)\)/g)]
        .filter(([, text = '', target = '']) => !`/${target}`.endsWith(`/${text}`))
        .map(([link]) => `${page}: ${link}`),
    )
    expect(wrong).toEqual([])
  })
})
