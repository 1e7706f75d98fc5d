// What is ours to mend: logged under a number that the answer names too, so that a complaint leads to its line.
import { randomBytes } from 'node:crypto'
import type { Log } from './log.ts'

export type Faults = {
  /** Both give the fault's number: eight hex digits. */
  readonly thrown: (cause: unknown) => string
  readonly unavailable: (message: string) => string
}

export const faultsTo = (log: Log): Faults => {
  const numbered = (tell: (fault: string) => void): string => {
    const fault = randomBytes(4).toString('hex')
    tell(fault)
    return fault
  }
  return {
    thrown: (cause) => numbered((fault) => log('fault', { fault, thrown: cause })),
    unavailable: (message) => numbered((fault) => log('unavailable', { fault, reason: message })),
  }
}
