// Logs an internal error under a number that the answer shows too, so that a complaint leads to its log line.
import { randomBytes } from 'node:crypto'
import type { Log } from './log.ts'

export type Faults = {
  /** Logs the error and returns the fault's number: eight hex digits. */
  readonly thrown: (cause: unknown) => string
}

export const faultsTo = (log: Log): Faults => ({
  thrown: (cause) => {
    const fault = randomBytes(4).toString('hex')
    log('fault', { fault, thrown: cause })
    return fault
  },
})
