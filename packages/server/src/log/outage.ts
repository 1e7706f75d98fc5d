// Logs an outage of the store once when it begins and once when it is over, not for each of the many failed requests. Some
// requests succeed during an outage (reads on a full disk, claims that find nothing); they do not end it.
import type { Unavailable } from '@plazo/core'
import type { Log } from './log.ts'

export type Outage = {
  readonly noteUnavailable: (reason: Unavailable) => void
  /** The store has just answered, even if there was nothing to do. */
  readonly noteAnswered: () => Promise<void>
}

// Milliseconds. Failures at shorter intervals belong to the same outage, even if their causes differ.
const QUIET = 1_000

export const createOutage = (log: Log, monotonicNow: () => number, takesWrites: () => Promise<boolean>): Outage => {
  let outage: { readonly since: number; lastAt: number } | null = null
  return {
    noteUnavailable: (reason) => {
      const now = monotonicNow()
      if (outage === null) log('unavailable', { reason })
      outage = { since: outage?.since ?? now, lastAt: now }
    },
    noteAnswered: async () => {
      const isQuiet = (): boolean => outage !== null && monotonicNow() - outage.lastAt >= QUIET
      if (!isQuiet() || !(await takesWrites()) || outage === null || !isQuiet()) return
      log('available', { duration_ms: monotonicNow() - outage.since })
      outage = null
    },
  }
}
