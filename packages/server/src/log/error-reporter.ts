// Logs internal errors, crashes and outages of the store, without any text that somebody typed. An
// error's number is in the answer too, so that a complaint leads to its log line.
import { randomBytes } from 'node:crypto'
import { describeThrown, type Unavailable } from '@plazo/core/ports'
import type { Log } from './log.ts'

export type ErrorReporter = ReturnType<typeof createErrorReporter>

// Milliseconds. Failures at shorter intervals belong to the same outage, even if their causes
// differ.
const QUIET = 1_000

/**
 * An outage is logged once when it begins and once when it is over, not for each of the many failed
 * requests. Some requests succeed during an outage (reads on a full disk, claims that find
 * nothing); they do not end it.
 *
 * `takesWrites`: whether the store answers and accepts writes. `probeDisk`: null if the disk of its
 * file can be written.
 */
export const createErrorReporter = (
  log: Log,
  monotonicNow: () => number,
  takesWrites: () => Promise<boolean>,
  probeDisk: () => Promise<Unavailable | null> = async () => null,
) => {
  let outage: { readonly since: number; readonly lastAt: number } | null = null
  // SQLite calls a page damaged that the disk does not return.
  const logReason = (reason: Unavailable): void => {
    if (reason.code !== 'file_damaged') log('unavailable', { reason })
    else void probeDisk().then((failure) => log('unavailable', { reason: failure ?? reason }))
  }

  return {
    /** Logs an internal error and returns the fault's number: eight hex digits. */
    report: (cause: unknown): string => {
      const fault = randomBytes(4).toString('hex')
      log('fault', { fault, thrown: describeThrown(cause) })
      return fault
    },
    /** The store did not answer. */
    noteUnavailable: (reason: Unavailable): void => {
      const now = monotonicNow()
      if (outage === null) logReason(reason)
      outage = { since: outage?.since ?? now, lastAt: now }
    },
    /** The store has just answered, even if there was nothing to do. */
    noteAnswered: async (): Promise<void> => {
      const isQuiet = (): boolean => outage !== null && monotonicNow() - outage.lastAt >= QUIET
      if (!isQuiet() || !(await takesWrites()) || outage === null || !isQuiet()) return
      log('available', { duration_ms: Math.round(monotonicNow() - outage.since) })
      outage = null
    },
  }
}

/**
 * Node prints the whole message of an uncaught error, which may hold what somebody typed. This logs
 * the error without its message and then ends the process, as Node does.
 */
export const exitOnCrash = (log: Log): void => {
  const logAndExit = (thrown: unknown): void => {
    try {
      log('crashed', { thrown: describeThrown(thrown) })
    } finally {
      process.exit(1)
    }
  }
  process.on('uncaughtException', logAndExit)
  process.on('unhandledRejection', logAndExit)
  process.removeAllListeners('warning')
  process.on('warning', (thrown) => log('warned', { thrown: describeThrown(thrown) }))
}
