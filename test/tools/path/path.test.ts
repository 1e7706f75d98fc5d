// The command that prints the paths must keep working, because docs/architecture.md quotes them.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const inFolder = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The files of all paths that a text shows, as `package/path`. */
const filesIn = (text: string): ReadonlySet<string> => {
  const files = new Set<string>()
  let name = ''
  for (const line of text.split('\n')) {
    name = /^(server|core|adapters) /.exec(line)?.[1] ?? (/^\s+→/.test(line) ? name : '')
    if (name !== '') for (const [file] of line.matchAll(/\S+\.ts\b/g)) files.add(`${name}/${file}`)
  }
  return files
}

// A job of the background worker may share the submission's commit, and then adds files.
const SHARED_COMMIT_FILES = 2

it('prints the files of a submission and of a delivery in their order, and their re-entries', async () => {
  const options = ['--import', inFolder('./record-path.ts'), inFolder('./path.ts')]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  expect(stdout).toContain('200 {"action":"require_validate_otp"}')
  const [submission = '', delivery = ''] = stdout.split('A delivery, from the claim')
  expect(submission).toMatch(
    /checkout\/routes\.ts[\s\S]*order\/step\.ts[\s\S]*writer\/threaded-writer\.ts[\s\S]*writer\/writer\.ts/,
  )
  expect(delivery).toMatch(
    /host\/dispatcher\.ts[\s\S]*checkout\/worker\/deliver\.ts[\s\S]*order\/step\.ts/,
  )
  for (const path of [submission, delivery]) {
    expect(path).toMatch(/\.ts {2}← \S+\.ts/)
    expect(path).toMatch(/\.ts {2}(?:← .* {2})?goes on \w+/)
    expect(path).toMatch(
      /\d+ files \(server \d+, core \d+, adapters \d+\), \d+ re-entries into \d+ files\n/,
    )
  }
  const page =
    readFileSync(inFolder('../../../docs/architecture.md'), 'utf8').split('<!-- path')[1] ?? ''
  const [measured, written] = [filesIn(stdout), filesIn(page)]
  const difference = [...measured, ...written].filter(
    (file) => !measured.has(file) || !written.has(file),
  )
  expect(difference.slice(SHARED_COMMIT_FILES), 'pnpm path --write').toEqual([])
})
