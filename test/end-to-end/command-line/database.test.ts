// The behaviour of commands if the database does not exist, and the file permissions if it does.
// Contract §7, DATABASE_URL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { type CommandLine, commandLine, merchantWords } from '../../harness/command-line.ts'
import { pathOfTest } from '../../harness/path-of-test.ts'

const CLI = fileURLToPath(new URL('../../../packages/server/src/cli.ts', import.meta.url))
const ADD = merchantWords('lamps')

let path: string
let plazo: CommandLine
beforeEach(() => {
  path = pathOfTest('plazo.db')
  plazo = commandLine({ DATABASE_URL: `sqlite:${path}` })
})

describe('a database that does not exist', () => {
  it.each([
    ['orders', 'list'],
    ['keys', 'list'],
  ])('is refused and not created by `plazo %s %s`', async (...words) => {
    expect(await plazo.run(...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: `DATABASE_URL is ${path}, which does not exist. Correct it, or start the server, which creates a new database.\n`,
    })
    for (const file of [path, `${path}.key`]) expect(existsSync(file)).toBe(false)
  })

  it('is created by adding the first merchant, readable only by its owner', async () => {
    await plazo.json(...ADD)
    expect(await plazo.json('merchant', 'list')).toMatchObject([{ ref: 'lamps' }])
    for (const file of [path, `${path}.key`]) expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

it('a database in memory belongs to its server, and commands refuse it', async () => {
  expect(await commandLine({ DATABASE_URL: 'sqlite::memory:' }).run(...ADD)).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'DATABASE_URL must be a file or a PostgreSQL database, because only the server itself can open a database in memory (got "sqlite::memory:").\n',
  })
})

it('a database that can be opened but not written is reported, with advice where to learn more', async () => {
  await plazo.json(...ADD)
  const db = new Sqlite(path)
  db.exec(
    `create trigger full before update on merchants begin select raise(abort, 'database or disk is full'); end`,
  )
  db.close()
  expect(await plazo.run('merchant', 'set', '--merchant', 'lamps', '--name', 'Lights')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'database or disk is full\nRun `plazo doctor` for a diagnosis of the database.\n',
  })
})

it.each([
  [
    'that cannot be written is reported',
    openSync('/dev/null', 'r'),
    1,
    /^Cannot write the output: EBADF: .+\.\n$/,
  ],
  ['whose reader closes the pipe ends a command without a message', 'pipe', 0, /^$/],
] as const)('output %s', async (_, output, code, message) => {
  await plazo.json(...ADD)
  const child = spawn(process.execPath, [CLI, 'merchant', 'list'], {
    env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${path}` },
    stdio: ['ignore', output, 'pipe'],
  })
  child.stdout?.destroy()
  let stderr = ''
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  expect(await once(child, 'close')).toEqual([code, null])
  expect(stderr).toMatch(message)
})
