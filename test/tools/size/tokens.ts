// Counts text in tokens. Lines are no measure of size, because a dense line hides as much as three
// plain ones. A string counts by its words, as SQL, styles and markup do in files of their own, so
// that no code becomes smaller by moving to another place.
import { transformSync } from 'esbuild'

type Count = { readonly tokens: number; readonly end: number }

const SPACE_OR_COMMENT = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const REGULAR_EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const PIECE_OF_TEMPLATE = /[^`\\$]+|\\[\s\S]|\$\{|\$/y

const KINDS_OF_TOKEN = [
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/, // a string
  /[A-Za-z_$][\w$]*|\d[\w.]*/, // a name or a number
  /=>|\.\.\.|\?\?=?|\?\.|[=!]==?|&&=?|\|\|=?|\*\*|[<>]=|\+\+|--|[+\-*/%&|^]=/, // an operator
  /[^\s\w]/, // any other sign
]
const TOKEN = new RegExp(KINDS_OF_TOKEN.map(({ source }) => source).join('|'), 'y')

const VALUE = /[\w$)\]'"`]$/
const KEYWORD_BEFORE_VALUE = /^(?:return|typeof|case|in|of|else|yield|await|void|delete|throw|new)$/

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** A slash after a value divides; any other slash begins a regular expression. */
const isValue = (token: string): boolean => VALUE.test(token) && !KEYWORD_BEFORE_VALUE.test(token)

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length

const countLiteral = (text: string): number => Math.max(1, countWords(text))

const weighToken = (token: string): number =>
  /^['"]/.test(token) ? countLiteral(token.slice(1, -1).replace(/\\n/g, ' ')) : 1

/** The words of a template, and the tokens of the expressions in it. */
const countTemplate = (text: string, start: number): Count => {
  let tokens = 0
  let words = ''
  let at = start + 1
  let piece = matchAt(PIECE_OF_TEMPLATE, text, at)
  while (piece !== undefined) {
    at += piece.length
    if (piece === '${') {
      const expression = countCode(text, at, true)
      tokens += expression.tokens
      at = expression.end
      words += ' '
    } else {
      words += piece === '\\n' ? ' ' : piece.replace(/^\\[\s\S]/, 'x')
    }
    piece = matchAt(PIECE_OF_TEMPLATE, text, at)
  }
  return { tokens: tokens + countLiteral(words), end: at + 1 }
}

/** An expression in a template ends after its closing brace. */
const countCode = (text: string, start = 0, isInTemplate = false): Count => {
  let tokens = 0
  let openBraces = 0
  let lastToken = ''
  let at = start
  while (at < text.length) {
    const free = matchAt(SPACE_OR_COMMENT, text, at)
    if (free !== undefined) {
      at += free.length
      continue
    }
    if (text[at] === '`') {
      const template = countTemplate(text, at)
      tokens += template.tokens
      at = template.end
      lastToken = '`'
      continue
    }
    const expression = isValue(lastToken) ? undefined : matchAt(REGULAR_EXPRESSION, text, at)
    const token = expression ?? matchAt(TOKEN, text, at) ?? text.charAt(at)
    at += token.length
    if (token === '}' && openBraces === 0 && isInTemplate) return { tokens, end: at }
    if (token === '{') openBraces += 1
    if (token === '}') openBraces -= 1
    tokens += weighToken(token)
    lastToken = expression === undefined ? token : 'value'
  }
  return { tokens, end: at }
}

const compileTsx = (text: string): string =>
  transformSync(text, { loader: 'tsx', jsx: 'automatic', jsxImportSource: 'hono/jsx/dom' }).code

const separateSigns = (style: string): string =>
  style
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/[{};:,]/g, '$& ')
    .replace(/[{}]/g, ' $&')

const separateTags = (markup: string): string =>
  markup.replace(/<!--[\s\S]*?-->/g, '').replace(/</g, ' <')

const separateValues = (data: string): string => data.replace(/[{}[\],:]/g, ' $& ')

/**
 * The size of a file's text. A name, a number, an operator or a regular expression is one token. A
 * string or a template counts by its words, and a template also by the expressions in it. TSX counts
 * as esbuild compiles it. Styles, markup, SQL, JSON and YAML count by their words. Comments and line
 * breaks are free. A file with another ending counts as code, because it could hold code.
 */
export const countTokens = (text: string, path: string): number => {
  if (path.endsWith('.css')) return countWords(separateSigns(text))
  if (/\.(?:html|svg)$/.test(path)) return countWords(separateTags(text))
  if (/\.(?:sql|json|ya?ml)$/.test(path)) return countWords(separateValues(text))
  return countCode(path.endsWith('.tsx') ? compileTsx(text) : text).tokens
}
