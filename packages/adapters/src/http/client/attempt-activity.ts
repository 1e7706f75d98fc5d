// Tells which attempts wait for the other side. A waiting attempt costs a socket and a timer; only
// those being sent or read keep a node busy, so only they count against its limit. Contract §6,
// Fairness.
import type { AttemptActivity } from '@plazo/core/internal'
import type { Timers } from '../../system/clock-and-ids.ts'

/**
 * Called with the id of an attempt when it begins to wait for the other side, and when it goes on.
 */
export type OnActivity = (attempt: string, activity: AttemptActivity) => void

/**
 * Milliseconds without progress after which an attempt counts as waiting. With 20, attempts to
 * receivers on a busy machine counted as waiting. The attempts sent instead opened more connections
 * than are kept.
 */
const QUIET_MILLIS = 150

/** Watches an attempt that begins now. Most attempts end sooner than they count as waiting. */
export const watchAttempt = (
  { after }: Pick<Timers, 'after'>,
  notify: OnActivity,
  attempt: string,
) => {
  let isWaiting = false
  let hasEnded = false
  const wait = (): void => {
    isWaiting = true
    notify(attempt, 'waiting')
  }
  let timer = after(QUIET_MILLIS, wait)
  return {
    /** Bytes could be sent, or have arrived. */
    progress: (): void => {
      if (hasEnded) return
      timer.cancel()
      timer = after(QUIET_MILLIS, wait)
      if (isWaiting) notify(attempt, 'active')
      isWaiting = false
    },
    end: (): void => {
      hasEnded = true
      timer.cancel()
    },
  }
}
