// Runs the server as a program: reads the settings, serves, prints what to do next, and stops on a
// signal.
import { statSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { errorMessage } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { LISTENER_STAYS_OPEN } from '../http/limits/drain-server.ts'
import { exitOnCrash } from '../log/error-reporter.ts'
import { openLog } from '../log/log.ts'
import { DEMO_SECRET } from '../sandbox/demo-merchant.ts'
import { type RunningServer, serve } from '../serve.ts'
import { type Config, databaseName, readConfig, SANDBOX_OPERATOR_PASSWORD } from './config.ts'
import { endWithNpx } from './npx-parent.ts'
import { PLAZO } from './own-commands.ts'
import { InvalidSetting } from './startup-errors.ts'

const sandboxGuide = (baseUrl: string, { operatorPassword }: Config): string => `
  merchant  demo        username  demo      password  demo
  secret    ${DEMO_SECRET}
  operator  operator    password  ${operatorPassword === SANDBOX_OPERATOR_PASSWORD ? operatorPassword : 'the value of OPERATOR_PASSWORD'}

Open ${baseUrl} in a browser: a shop, the statechart of its order, and all that happens to it.

The same as text, in another terminal:

  ${PLAZO} demo --url ${baseUrl}

Or by hand: place an order. Its uuid is the last part of Location in the answer.
Then POST the shopper's data to ${baseUrl}/api/v1/checkout/<uuid>/identification.

  curl -si -u demo:demo ${baseUrl}/orders -H 'content-type: application/json' -d '{"order":{
    "merchant":{"id":"demo","return_url":"${baseUrl}/demo/return","notify_url":"${baseUrl}/demo/notify",
      "events_webhook":{"url":"${baseUrl}/demo/events"}},
    "cart":{"currency":"EUR","order_total_with_tax":12100,"items":[{"total_with_tax":12100}]}}}'

Pages in a browser, JSON for programs:

  ${baseUrl}/sandbox/triggers    test persons, codes and cards for other outcomes
  ${baseUrl}/sandbox/messages    the SMS that were sent
  ${baseUrl}/sandbox/clock       the clock, which you can move
  ${baseUrl}/docs                every call, with curl commands to paste
`

// A reader may close the pipe after the first lines. That is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const start = async (config: Config): Promise<void> => {
  const log = openLog(config.logLevel)
  exitOnCrash(log)
  let serving: RunningServer | null = null
  let isStopping = false
  const stop = async (signal: 'SIGTERM' | 'SIGINT'): Promise<void> => {
    if (isStopping) return
    isStopping = true
    say('plazo is stopping. It finishes the work in flight.')
    log('stopping', { signal })
    // Nothing is in flight before it serves. Ctrl-C at a terminal has no load balancer that should
    // learn of it.
    await serving?.stop(signal === 'SIGTERM' ? LISTENER_STAYS_OPEN : 0)
    log('stopped', {})
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  endWithNpx()
  serving = await serve(config, log)
  say(
    `\nplazo is listening on ${serving.baseUrl} (${config.mode}, ${databaseName(config.database)})`,
  )
  if (config.mode === 'sandbox') say(sandboxGuide(serving.baseUrl, config))
  log('started', { mode: config.mode })
  // Writes the cache now, so that threads that are started under load find their code there.
  nodeModule.flushCompileCache?.()
  if (config.mode === 'production' && !serving.baseUrl.startsWith('https:')) log('unencrypted', {})
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

const config = readConfig(process.env)
if (E.isLeft(config)) {
  process.stderr.write(`${settingErrors(config.left)}\n`)
  process.exit(1)
} else {
  start(config.right).catch((cause: unknown) => {
    process.stderr.write(`${startFailure(cause)}\n`)
    process.exit(1)
  })
}
