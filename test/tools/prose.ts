// `pnpm lint` runs textlint over the pages and the first comments of files. Without a limit,
// sentences grow until only their authors understand them. A file that a page or a comment names must
// exist.
import { globSync, readFileSync } from 'node:fs'
import { TextlintKernel } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import sentenceLength from 'textlint-rule-sentence-length'
import terminology from 'textlint-rule-terminology'

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

const OPTIONS = {
  ext: '.md',
  plugins: [{ pluginId: 'markdown', plugin: markdown.default as never }],
  rules: [
    { ruleId: 'sentence-length', rule: sentenceLength.default, options: { max: SENTENCE_MAX } },
    {
      ruleId: 'terminology',
      rule: terminology,
      options: { defaultTerms: false, terms: TERMS, skip: ['Blockquote'] },
    },
  ],
}

const FILES = globSync(['*.md', 'docs/**/*.{md,ts,js}', '{packages/*/src,test}/**/*.{ts,tsx,js}'])

/** A page, or the comment at the beginning of a file as a page. */
const proseIn = (file: string, text: string): string =>
  file.endsWith('.md') ? text : (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? '').replaceAll(/^\/\/ ?/gm, '')

/** A name may leave out `packages/` and `src/`: `core/order/step.ts`, or only `step.ts`. */
const isMissing = (name: string): boolean => {
  const path = name.replace(/^(core|adapters|server)\//, 'packages/$1/src/')
  return !FILES.some((file) => `/${file}`.endsWith(`/${path}`))
}

const namesIn = (file: string, text: string): readonly string[] => {
  if (file === 'CHANGELOG.md') return []
  const pattern = file.endsWith('.md')
    ? /`(\w[\w/.-]*\.[tj]s)`/g
    : /^\s*(?:\/\/|\/?\*).*?(\w[\w/.-]*\w\.ts)\b/gm
  return [...text.matchAll(pattern)].map(([, name = '']) => name)
}

const complain = (complaint: string): void => {
  console.error(complaint)
  process.exitCode = 1
}

const kernel = new TextlintKernel()
for (const filePath of FILES) {
  const text = readFileSync(filePath, 'utf8')
  const { messages } = await kernel.lintText(proseIn(filePath, text), { ...OPTIONS, filePath })
  for (const { line, message } of messages) complain(`${filePath}:${line} ${message}`)
  for (const name of namesIn(filePath, text).filter(isMissing))
    complain(`${filePath} names ${name}, which is no file.`)
}
