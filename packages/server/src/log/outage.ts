// An outage of the store is logged once when it begins, and once when it is over: not for each of the many who ask meanwhile.
// Some requests succeed during an outage (reads on a full disk, claims that find nothing), and do not end it.
import type { Log } from './log.ts'

export type Outage = {
  readonly unavailable: (reason: string) => void
  /** The store has just answered, even if there was nothing to do. */
  readonly answered: () => Promise<void>
}

// In milliseconds. While requests still fail at shorter intervals, it is one outage, whatever the cause.
const QUIET = 1_000

/** `isReachable`: whether the store takes writes, too. */
export const outageTo = (log: Log, monotonicNow: () => number, isReachable: () => Promise<boolean>): Outage => {
  let outage: { readonly since: number; lastAt: number } | null = null
  return {
    unavailable: (reason) => {
      const now = monotonicNow()
      if (outage === null) log('unavailable', { reason })
      outage = { since: outage?.since ?? now, lastAt: now }
    },
    answered: async () => {
      const isQuiet = (): boolean => outage !== null && monotonicNow() - outage.lastAt >= QUIET
      if (!isQuiet() || !(await isReachable()) || outage === null || !isQuiet()) return
      log('available', { duration_ms: monotonicNow() - outage.since })
      outage = null
    },
  }
}
