// A real plazo process on a free port of the loopback interface, for tests that must see what its
// users see.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

// A process of a test reads what is compiled already. This saves a third of the start of
// `server-process.ts`.
const { PATH, NODE_COMPILE_CACHE } = process.env
const PROCESS_ENV = { PATH, NODE_COMPILE_CACHE, PORT: '0', DATABASE_URL: 'sqlite::memory:' }

// As `pnpm start` runs it.
const YOUNG_GENERATION = '--max-semi-space-size=64'

/** A process that may end at any moment, even before it listens. */
export type ServerProcess = {
  readonly child: ChildProcess
  /** Resolves to its address, or to null if it ended before it listened. */
  readonly listening: Promise<string | null>
  /** The signal that ended it, otherwise its exit code. */
  readonly ended: Promise<NodeJS.Signals | number | null>
  /** Everything printed so far, on both streams. */
  readonly output: () => string
}

export type RunningServer = Pick<ServerProcess, 'child' | 'output'> & {
  readonly url: string
  readonly pid: number
  /**
   * Stops it as Ctrl-C does, without the seconds in which a load balancer may learn of it. Resolves
   * to the exit code.
   */
  readonly stop: () => Promise<number | null>
  /** Stops it by SIGTERM, as a supervisor does. Resolves to the exit code. */
  readonly terminate: () => Promise<number | null>
  readonly kill: () => Promise<void>
}

type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** The file to run. Default: the server's own main file. */
  readonly main?: string
}

export const spawnServer = ({ env = {}, main = MAIN }: ServerOptions = {}): ServerProcess => {
  const child = spawn(process.execPath, [YOUNG_GENERATION, main], {
    env: { ...PROCESS_ENV, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let isListening = false
  const ended = new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  )
  const listening = new Promise<string | null>((resolve) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString()
      if (isListening) return
      const [, address] = /plazo is listening on (\S+)/.exec(printed) ?? []
      if (address === undefined) return
      isListening = true
      resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    void ended.then(() => resolve(null))
  })
  return { child, listening, ended, output: () => printed }
}

/** Rejects with the printed output if the process exits before it listens. */
export const startServer = async (options: ServerOptions = {}): Promise<RunningServer> => {
  const { child, listening, ended, output } = spawnServer(options)
  const url = await listening
  if (url === null) throw new Error(`The server ended with ${await ended}:\n${output()}`)
  const endBy = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal)
    const how = await ended
    return typeof how === 'number' ? how : null
  }
  return {
    url,
    pid: child.pid ?? 0,
    child,
    output,
    stop: () => endBy('SIGINT'),
    terminate: () => endBy('SIGTERM'),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Runs a server until it exits by itself. */
export const runUntilExit = async (env: Readonly<Record<string, string>>) => {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...PROCESS_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed, lines: printed.trim().split('\n') }
}

// An unreachable database, and giving up on a merchant, are expected.
const EXPECTED = ['"alert":"exhausted"', 'the database does not answer']

/** The errors that a server has printed. */
export const errorsIn = (printed: string): readonly string[] =>
  printed
    .split('\n')
    .filter(
      (line) =>
        /"level":(50|60)|^\S*Error/.test(line) && !EXPECTED.some((text) => line.includes(text)),
    )
