// Keeps pages and the first comments of files easy to read. Without a limit, sentences grow until
// only their authors understand them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import sentenceLength from 'textlint-rule-sentence-length'
import terminology from 'textlint-rule-terminology'
import { describe, expect, it } from 'vitest'
import { filesUnder, root } from './harness/files-under.ts'

/** In characters: about 35 words. */
const SENTENCE_MAX = 230

/** Words that readers stumble over, with what to write instead. */
const TERMS = [
  ['(?:who|what|whom)ever', 'any'],
  ['anew', 'again'],
  ['hence', 'so'],
  ['in vain', 'without effect'],
  ['for want of', 'because there is no'],
  ['though it be', 'even if it is'],
  ['(?:there)(?:of|in|by|upon)', 'of it'],
  ['(?:he|him|his|himself)', 'they'],
  ['of ours', 'internal'],
  ['utili[sz]e', 'use'],
  ['in order to', 'to'],
]

const RULES = [
  { ruleId: 'sentence-length', rule: sentenceLength, options: { max: SENTENCE_MAX } },
  {
    ruleId: 'terminology',
    rule: terminology,
    options: { defaultTerms: false, terms: TERMS, skip: ['Blockquote'] },
  },
]

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesUnder('docs', /\.md$/)]
const CODE = ['packages', 'test'].flatMap((folder) => filesUnder(folder, /\.(?:ts|js)$/))

const kernel = new TextlintKernel()

/** What is wrong with a text, with its file and line. */
const check = async (file: string, text: string): Promise<readonly string[]> => {
  const { messages } = await kernel.lintText(text, {
    filePath: file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown as never }],
    rules: RULES,
  })
  return messages.map(({ line, message }) => `${file}:${line} ${message}`)
}

/** The comment at the beginning of a file, as text. */
const headOf = (code: string): string =>
  (/^(?:\/\/.*\n)+/.exec(code)?.[0] ?? '').replaceAll(/^\/\/ ?/gm, '')

describe('prose', () => {
  it.each(PAGES)('%s has short sentences and plain words', async (page) => {
    expect(await check(page, read(page))).toEqual([])
  })

  it('the first comments of files have short sentences and plain words', async () => {
    const heads = CODE.map((file) => [file, headOf(read(file))] as const)
    const found = await Promise.all(heads.map(([file, head]) => check(file, head)))
    expect(found.flat()).toEqual([])
    expect(heads.filter(([, head]) => head !== '').length).toBeGreaterThan(600)
  })

  it('a docstring makes sense without its neighbour', () => {
    const dependent = CODE.flatMap((file) =>
      [...read(file).matchAll(/\/\*\*\s+(?:\* )?(?:The same|Like this|Both)\b.*/g)].map(
        ([text]) => `${file}: ${text}`,
      ),
    )
    expect(dependent).toEqual([])
  })
})
