// Measured figures on a page are written by the command that measures them, because nobody keeps
// them true by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Replaces the part of a page between two marks: `<!-- size: pnpm size --write -->` and
 * `<!-- end of size -->` for the part `size`. `page` is relative to the project.
 */
export const writeIntoPage = (page: string, part: string, text: string): void => {
  const file = fileURLToPath(new URL(`../../${page}`, import.meta.url))
  const marks = { from: `<!-- ${part}: pnpm ${part} --write -->`, to: `<!-- end of ${part} -->` }
  const before = readFileSync(file, 'utf8')
  const [from, to] = [before.indexOf(marks.from), before.indexOf(marks.to)]
  if (from < 0 || to < from) throw new Error(`${page} must contain ${marks.from} and ${marks.to}.`)
  const start = before.slice(0, from + marks.from.length)
  writeFileSync(file, `${start}\n\n${text}\n\n${before.slice(to)}`)
}
