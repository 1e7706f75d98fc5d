// That the store does not answer is said once, and once more when it does again: not for each of the many who ask
// meanwhile.
import type { Log } from './log.ts'

export type Outage = {
  readonly unavailable: (reason: string) => void
  /** It has just answered. */
  readonly available: () => void
}

export const outageTo = (log: Log, monotonicNow: () => number): Outage => {
  let since: number | null = null
  return {
    unavailable: (reason) => {
      if (since !== null) return
      since = monotonicNow()
      log('unavailable', { reason })
    },
    available: () => {
      if (since === null) return
      log('available', { duration_ms: monotonicNow() - since })
      since = null
    },
  }
}
