// The server's process. A run starts it again and again on the same file and port, and kills it with SIGKILL.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { PlannedKill } from './kill-points.ts'

const MAIN = fileURLToPath(new URL('./killable-server.ts', import.meta.url))
const STARTS_WITHIN = 30_000

export type ServerProcess = {
  /** Resolves to true once it listens, or false if it died before. */
  readonly isListening: Promise<boolean>
  /** The signal that ended it, otherwise its exit code. */
  readonly ended: Promise<NodeJS.Signals | number | null>
  /** Everything printed, on both streams. */
  readonly output: () => string
  /** True if it logged an error of its own. Giving up on a merchant that is always down does not count. */
  readonly hasLoggedError: () => boolean
  readonly kill: () => void
  /** Sends SIGTERM: it finishes what is in flight. */
  readonly stop: () => void
}

export type ServerLocation = { readonly port: number; readonly file: string }

export const urlOf = ({ port }: ServerLocation): string => `http://127.0.0.1:${port}`

export const startServerProcess = (home: ServerLocation, plannedKill: PlannedKill | null): ServerProcess => {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      PORT: String(home.port),
      BASE_URL: urlOf(home),
      DATABASE_URL: `sqlite:${home.file}`,
      // Warnings report every endpoint that is down. An error is a mistake in plazo.
      LOG_LEVEL: 'error',
      ...(plannedKill && { DIE_AT: plannedKill.at, DIE_ON: String(plannedKill.on) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const isListening = new Promise<boolean>((resolve, reject) => {
    const patience = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`The server does not start:\n${printed}`))
    }, STARTS_WITHIN)
    const settle = (isUp: boolean): void => {
      clearTimeout(patience)
      resolve(isUp)
    }
    const read = (chunk: Buffer): void => {
      printed += chunk.toString()
      if (printed.includes('plazo is listening on ')) settle(true)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => settle(false))
  })
  return {
    isListening,
    ended: new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code))),
    output: () => printed,
    hasLoggedError: () =>
      printed.split('\n').some((line) => line.includes('"level":50') && !line.includes('"alert":"exhausted"')),
    kill: () => child.kill('SIGKILL'),
    stop: () => child.kill('SIGTERM'),
  }
}
