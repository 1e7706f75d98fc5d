// A real plazo process on a free port of the loopback interface, for tests that must see what its users see.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const MAIN = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

// As `pnpm start` runs it.
const YOUNG_GENERATION = '--max-semi-space-size=64'

export type RunningServer = {
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  /** Everything printed so far, on both streams. */
  readonly output: () => string
  /** Sends SIGTERM and resolves to the exit code. */
  readonly stop: () => Promise<number | null>
  readonly kill: () => Promise<void>
}

type ServerOptions = {
  readonly env?: Readonly<Record<string, string>>
  /** The file to run. Default: the server's own main file. */
  readonly main?: string
}

/** Rejects with the printed output if the process exits before it listens. */
export const startServer = async ({ env = {}, main = MAIN }: ServerOptions = {}): Promise<RunningServer> => {
  const child = spawn(process.execPath, [YOUNG_GENERATION, main], {
    env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += chunk.toString()
      const [, address] = /plazo is listening on (\S+)/.exec(printed) ?? []
      if (address !== undefined) resolve(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}:\n${printed}`)))
  })
  const exited = once(child, 'exit')
  return {
    url,
    pid: child.pid ?? 0,
    child,
    output: () => printed,
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = (await exited) as [number | null]
      return code
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Runs a program of the server until it exits by itself. Default: its main file. */
export const runUntilExit = async (
  env: Readonly<Record<string, string>>,
  file = MAIN,
  args: readonly string[] = [],
) => {
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env.PATH, PORT: '0', DATABASE_URL: 'sqlite::memory:', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, printed, lines: printed.trim().split('\n') }
}
