// Node prints the whole message of an uncaught error, which may hold what somebody typed. This logs the error without its
// message and then ends the process, as Node does.

import { randomBytes } from 'node:crypto'
import type { Log } from './log.ts'

export const exitOnCrash = (log: Log): void => {
  const logAndExit = (thrown: unknown): void => {
    try {
      log('crashed', { thrown })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', logAndExit)
  process.on('unhandledRejection', logAndExit)
  process.removeAllListeners('warning')
  process.on('warning', (thrown) => log('warned', { thrown }))
}

export type ErrorReporter = {
  /** Logs the error and returns the fault's number: eight hex digits. */
  readonly report: (cause: unknown) => string
}

/** Logs an internal error under a number that the answer shows too, so that a complaint leads to its log line. */
export const createErrorReporter = (log: Log): ErrorReporter => ({
  report: (cause) => {
    const fault = randomBytes(4).toString('hex')
    log('fault', { fault, thrown: cause })
    return fault
  },
})
