// Logs an internal error under a number that the answer shows too, so that a complaint leads to its log line.
import { randomBytes } from 'node:crypto'
import type { Log } from './log.ts'

export type ErrorReporter = {
  /** Logs the error and returns the fault's number: eight hex digits. */
  readonly report: (cause: unknown) => string
}

export const createErrorReporter = (log: Log): ErrorReporter => ({
  report: (cause) => {
    const fault = randomBytes(4).toString('hex')
    log('fault', { fault, thrown: cause })
    return fault
  },
})
