// Counts code in tokens. Lines are no measure of size, because a dense line hides as much as three
// plain ones; a token costs the same on every line.

/** The kinds of token, in the order in which they are tried. */
const KINDS = [
  /\/\/[^\n]*|\/\*[\s\S]*?\*\//, // a comment
  /`(?:\\[\s\S]|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*`/, // a template
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/, // a string
  /[A-Za-z_$][\w$]*|\d[\w.]*/, // a name or a number
  /=>|\.\.\.|\?\?=?|\?\.|[=!]==?|&&=?|\|\|=?|\*\*|[<>]=|\+\+|--|[+\-*/%&|^]=/, // an operator
  /[^\s\w]/, // any other sign
]

const TOKEN = new RegExp(KINDS.map(({ source }) => source).join('|'), 'g')

const isComment = (token: string): boolean => token.startsWith('//') || token.startsWith('/*')

// A template of several lines is SQL or HTML. It counts by its words, so that no code becomes
// smaller by moving into a string.
const isPage = (token: string): boolean => token.startsWith('`') && token.includes('\n')

const weigh = (token: string): number => {
  if (isComment(token)) return 0
  return isPage(token) ? countWords(token) : 1
}

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length

/** The tokens in a text of TypeScript or JavaScript. Comments are free. */
export const countTokens = (text: string): number =>
  (text.match(TOKEN) ?? []).reduce((sum, token) => sum + weigh(token), 0)

/**
 * The size of a style sheet. It counts by its words, as a page in a string does, so that styles have
 * the same size in either place. Comments are free.
 */
export const countStyle = (text: string): number =>
  countWords(text.replace(/\/\*[\s\S]*?\*\//g, ''))
