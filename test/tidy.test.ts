// Holds the rules for names and sizes that no linter checks: a newcomer finds a file by its name,
// and reads it on a few screens.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesUnder, root } from './harness/files-under.ts'

const CODE = ['packages', 'test'].flatMap((folder) => filesUnder(folder, /\.(tsx?|js)$/))
const FILES = [...CODE, ...filesUnder('docs', /\.(ts|js)$/)]
const PAGES = ['README.md', 'CONTRIBUTING.md', 'test/README.md', ...filesUnder('docs', /\.md$/)]

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(root, file), 'utf8').split('\n')

/** The matches of a pattern with a group, each with its file and line. */
const matchesIn = (file: string, pattern: RegExp) =>
  linesOf(file).flatMap((text, index) =>
    [...text.matchAll(pattern)].map(([, match = '']) => ({ at: `${file}:${index + 1}`, match })),
  )

// A participle, a pronoun or an adverb does not say what a value holds.
const VAGUE_NAMES =
  /^(?:asked|forgiven|few|touched|came|given|heard|held|judged|kept|known|led|left|made|said|sealed|seen|shown|spoken|told|wanted)$/
const VALUE = /\b(?:const|let|readonly) (\w+)\b(?! = (?:async )?\()|\.\.\.(\w+) \}/g

// A function needs a verb. These are an answer of a shop, values of a codec, and stages of a test.
const PARTICIPLE = /\bconst ([a-z]+(?:ed|ing)) = (?:async )?\([^)]*\)(?:: [^=]+)? =>/g
const ALLOWED_PARTICIPLES =
  /^(?:cancelled|heading|refined|refused|ring|unchanged|identified|screened|revealed|settled)$/

describe('names', () => {
  it('values are named by nouns', () => {
    const vague = CODE.flatMap((file) => matchesIn(file, VALUE)).filter(({ match }) =>
      VAGUE_NAMES.test(match),
    )
    expect(vague.map(({ at, match }) => `${at} declares ${match}`)).toEqual([])
  })

  it('functions are named by verbs', () => {
    const participles = CODE.flatMap((file) => matchesIn(file, PARTICIPLE)).filter(
      ({ match }) => !ALLOWED_PARTICIPLES.test(match),
    )
    expect(participles.map(({ at, match }) => `${at} is the function ${match}`)).toEqual([])
  })

  // A page may leave out `packages/` and `src/`: `core/order/step.ts`, or only `step.ts`.
  it('of files in pages and comments are those of existing files', () => {
    const isMissing = ({ match }: { readonly match: string }): boolean => {
      const path = match.replace(/^(core|adapters|server)\//, 'packages/$1/src/')
      return !FILES.some((file) => `/${file}`.endsWith(`/${path}`))
    }
    const named = [
      ...PAGES.flatMap((page) => matchesIn(page, /`(\w[\w/.-]*\.(?:ts|js))`/g)),
      ...CODE.flatMap((file) => matchesIn(file, /^\s*(?:\/\/|\/?\*).*?(\w[\w/.-]*\w\.ts)\b/g)),
    ]
    expect(named.filter(isMissing)).toEqual([])
    expect(named.length).toBeGreaterThan(150)
  })
})

describe('sizes', () => {
  it('a file fits on a few screens', () => {
    const long = CODE.filter((file) => /\.tsx?$/.test(file)).flatMap((file) => {
      const isTest = file.startsWith('test/') || /\.test\.ts$|\/testing\//.test(file)
      const [lines, max] = [linesOf(file).length - 1, isTest ? 700 : 350]
      return lines > max ? [`${file} has ${lines} lines, and may have ${max}`] : []
    })
    expect(long).toEqual([])
  })

  it('no file but an entry only passes on exports', () => {
    const files = CODE.filter((file) =>
      /^packages\/.*(?<!\.test|index|internal|machine)\.ts$/.test(file),
    )
    const passing = files.filter((file) =>
      linesOf(file)
        .filter((line) => line.trim() !== '' && !line.startsWith('//'))
        .every((line) => /^export (?:type )?[*{]|^ {2}[\w ,]+$|^\} from /.test(line)),
    )
    expect(passing).toEqual([])
  })
})
