// The command that prints the path of a submission must keep working; docs/architecture.md quotes
// it.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const inFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The files of a path as the command prints it, `package/path`. */
const filesIn = (path: string): ReadonlySet<string> => {
  const [way = ''] = path.split('\nReturns:')
  const files = new Set<string>()
  let name = ''
  for (const line of way.split('\n')) {
    name = /^(server|core|adapters) /.exec(line)?.[1] ?? name
    for (const [file] of line.matchAll(/\S+\.ts\b/g)) files.add(`${name}/${file}`)
  }
  return files
}

// A job of the background worker may share the submission's commit, and then adds files. Most often
// it is a claim.
const CLAIM_FILES = ['sqlite/claim.ts', 'encryption/master-keys.ts', 'sqlite/queries/due-jobs.ts']
const SHARED_COMMIT_FILES = 2

it('prints the files of a submission in the order in which it enters them, and its returns', async () => {
  const options = ['--import', inFolder('./record-path.ts'), inFolder('./submission-path.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  expect(stdout).toContain('200 {"action":"require_validate_otp"}')
  const way = [
    'checkout/routes.ts',
    'order/step.ts',
    'writer/threaded-writer.ts',
    'writer/orders.ts',
  ]
  const places = way.map((file) => stdout.indexOf(file))
  expect(places).toEqual(places.filter((place) => place > 0).toSorted((one, other) => one - other))
  expect(stdout).toMatch(/\.ts ← \S+\.ts\n/)
  expect(stdout).not.toContain('background/')
  expect(stdout).toMatch(/\d+ files \(server \d+, core \d+, adapters \d+\), returns to \d+\n$/)
  const page =
    readFileSync(inFolder('../../../docs/architecture.md'), 'utf8').split('<!-- path')[1] ?? ''
  const [measured, written] = [filesIn(stdout), filesIn(page)]
  const difference = [...measured, ...written]
    .filter((file) => !measured.has(file) || !written.has(file))
    .filter((file) => !CLAIM_FILES.includes(file.replace('adapters/', '')))
  expect(difference.slice(SHARED_COMMIT_FILES), 'pnpm path --write').toEqual([])
})
