// Runs the server as a program: reads the settings, serves, prints what to do next, and stops on a
// signal.
import { statSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { errorMessage } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { LISTENER_STAYS_OPEN } from '../http/limits/connections.ts'
import { loadBrowserFiles } from '../http/page/browser-files.ts'
import { exitOnCrash } from '../log/error-reporter.ts'
import { openLog } from '../log/log.ts'
import { type Config, databaseName, readConfig } from '../settings/config.ts'
import { InvalidSetting } from '../settings/startup-errors.ts'
import { type Compose, type RunningServer, serve } from './serve.ts'

// A reader may close the pipe after the first lines. That is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

/** Tells people. In production, standard output has nothing but the log, for programs. */
const say = ({ mode }: Config, text: string): void => {
  const stream = mode === 'production' ? process.stderr : process.stdout
  stream.write(`${text}\n`)
}

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const

type Guide = (baseUrl: string, config: Config) => string

const run = async (config: Config, compose: Compose, guide: Guide | undefined): Promise<void> => {
  const log = openLog(config.logLevel)
  exitOnCrash(log)
  let serving: RunningServer | null = null
  let isStopping = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) return
    isStopping = true
    say(config, 'plazo is stopping. It finishes the work in flight.')
    log('stopping', { signal })
    // Nothing is in flight before it serves. Ctrl-C at a terminal has no load balancer that should
    // learn of it.
    await serving?.stop(signal === 'SIGINT' ? 0 : LISTENER_STAYS_OPEN)
    log('stopped', {})
    process.exit(0)
  }
  for (const signal of STOP_SIGNALS) process.on(signal, stop)
  const browserFiles = loadBrowserFiles()
  serving = await serve(config, log, { compose })
  await browserFiles
  say(
    config,
    `\nplazo is listening on ${serving.baseUrl} (${config.mode}, ${databaseName(config.database)})`,
  )
  if (guide !== undefined) say(config, guide(serving.baseUrl, config))
  log('started', { mode: config.mode })
  // Writes the cache now, so that threads that are started under load find their code there.
  flushCompileCache()
  if (!config.policy.allowsLocal && !serving.baseUrl.startsWith('https:')) log('unencrypted', {})
  if (isKeyFileOpen(config)) log('key_file_open', {})
}

/** True if the key file next to the database is not its owner's alone. */
const isKeyFileOpen = ({ database, keyring }: Config): boolean => {
  if (database.type !== 'sqlite' || keyring !== null || process.platform === 'win32') return false
  const { mode = 0 } = statSync(`${database.path}.key`, { throwIfNoEntry: false }) ?? {}
  return (mode & 0o077) !== 0
}

const settingErrors = (lines: readonly string[]): string =>
  `plazo does not start:\n${lines.map((line) => `  ${line}`).join('\n')}`

const startFailure = (cause: unknown): string => {
  const message = errorMessage(cause)
  return cause instanceof InvalidSetting
    ? settingErrors([message])
    : `plazo does not start: ${message}`
}

/** Ends the process with a line for each setting that is wrong. */
export const readSettings = (): Config => {
  const config = readConfig(process.env)
  if (E.isRight(config)) return config.right
  process.stderr.write(`${settingErrors(config.left)}\n`)
  process.exit(1)
}

/** `guide`: what to print once it listens. Ends the process if it cannot start. */
export const start = (config: Config, compose: Compose, guide?: Guide): Promise<void> =>
  run(config, compose, guide).catch((cause: unknown) => {
    process.stderr.write(`${startFailure(cause)}\n`)
    process.exit(1)
  })
