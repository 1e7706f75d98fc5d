// Measured figures on a page are written by the command that measures them, because nobody keeps
// them true by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const matchPart = (part: string): RegExp =>
  new RegExp(`(<!-- ${part}: .* -->\n)([^]*)(\n<!-- end of ${part} -->)`)

const fileOf = (page: string): string => fileURLToPath(new URL(`../../${page}`, import.meta.url))

/**
 * Replaces the part of a text between two marks: for the part `size`, a comment that begins with
 * `<!-- size: ` and names the command, and `<!-- end of size -->`.
 */
export const replacePart = (text: string, part: string, content: string): string => {
  if (!matchPart(part).test(text)) throw new Error(`The page has no marks around its part ${part}.`)
  return text.replace(matchPart(part), (_, from, __, to) => `${from}\n${content}\n${to}`)
}

/** `page`: relative to the project. */
export const writeIntoPage = (page: string, part: string, content: string): void => {
  const file = fileOf(page)
  writeFileSync(file, replacePart(readFileSync(file, 'utf8'), part, content))
}

/** What the page has between the marks of the part. */
export const readPart = (page: string, part: string): string =>
  (matchPart(part).exec(readFileSync(fileOf(page), 'utf8'))?.[2] ?? '').trim()
