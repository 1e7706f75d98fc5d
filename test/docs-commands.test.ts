// A reader has what the README asks for: Node 20 or later and npm. So every command in the docs
// begins with what these bring, or with ./pnpm, which fetches the rest.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const PAGES = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter((page) => page !== '' && page !== 'CHANGELOG.md' && !page.startsWith('docs/decisions/'))

// What npm, any system and, on its own page, a database bring. A plain .mjs says in one sentence if
// its Node is too old, and a .ts is on pages that ask for a newer Node.
const KNOWN =
  /^(?:\.\/pnpm|npx -y -p node@24 (?:-p pnpm@12 pnpm|node [\w./-]+\.mjs)|npx (?:plazo|wrangler)|node [\w./-]+\.m?[jt]s|npm|curl|cd|mkdir|export|openssl|printf|createuser|at)\b/

/** Without settings in front, comments, and the functions that the block itself declares. */
const commandsIn = (block: string): readonly string[] => {
  const functions = [...block.matchAll(/^(\w+)\(\) \{/gm)].map(([, name = '']) => name)
  return block
    .replaceAll(/\\\n/g, ' ')
    .replaceAll(/'[^']*'/g, "''")
    .split('\n')
    .map((line) =>
      line
        .trim()
        .replace(/^\w+="?\$\(/, '')
        .replace(/^(?:[A-Z_]+=(?:"[^"]*"|\S*)\s+)+/, ''),
    )
    .filter((line) => line !== '' && !/^(?:#|\}|\w+=|\w+\(\) \{)/.test(line))
    .filter((line) => !functions.includes(line.split(' ')[0] ?? ''))
}

it.each(PAGES)('the commands in %s work with what the README asks for', (page) => {
  const text = readFileSync(page, 'utf8')
  const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    commandsIn(block),
  )
  expect(commands.filter((command) => !KNOWN.test(command))).toEqual([])
  expect([...text.matchAll(/`(?:[A-Z_]+=\S+ )*pnpm [a-z][^`]*`/g)].map(([code]) => code)).toEqual(
    [],
  )
})
