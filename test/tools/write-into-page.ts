// Measured figures on a page are written by the command that measures them, because nobody keeps
// them true by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Replaces the part of a text between two marks: for the part `size`, a comment that begins with
 * `<!-- size: ` and names the command, and `<!-- end of size -->`.
 */
export const replacePart = (text: string, part: string, content: string): string => {
  const marked = new RegExp(`(<!-- ${part}: .* -->\n)[^]*(\n<!-- end of ${part} -->)`)
  if (!marked.test(text)) throw new Error(`The page has no marks around its part ${part}.`)
  return text.replace(marked, (_, from, to) => `${from}\n${content}\n${to}`)
}

/** `page`: relative to the project. */
export const writeIntoPage = (page: string, part: string, content: string): void => {
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  writeFileSync(file, replacePart(readFileSync(file, 'utf8'), part, content))
}
