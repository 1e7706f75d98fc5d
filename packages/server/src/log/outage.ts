// That the store does not answer is said once, and once more when it does again: not for each of the many who ask
// meanwhile.
import type { Log } from './log.ts'

export type Outage = {
  readonly unavailable: (reason: string) => void
  /** It has just answered, be it that there was nothing to do. */
  readonly answered: () => Promise<void>
}

/** `isReachable`: it is over only when writes are taken, too. */
export const outageTo = (log: Log, monotonicNow: () => number, isReachable: () => Promise<boolean>): Outage => {
  let since: number | null = null
  return {
    unavailable: (reason) => {
      if (since !== null) return
      since = monotonicNow()
      log('unavailable', { reason })
    },
    answered: async () => {
      if (since === null || !(await isReachable()) || since === null) return
      log('available', { duration_ms: monotonicNow() - since })
      since = null
    },
  }
}
