// Tells which attempts wait for the other side. A waiting attempt costs a socket and a timer; only
// those being sent or read keep a node busy, so only they count against its limit. Contract §6,
// Fairness.
import type { AttemptActivity } from '@plazo/core/ports'
import type { Timers } from '../../system/clock-and-ids.ts'

/**
 * Called with the id of an attempt when it begins to wait for the other side, and when it goes on.
 */
export type OnActivity = (attempt: string, activity: AttemptActivity) => void

type WatchedAttempt = { readonly attempt: string; isQuiet: boolean; hasEnded: boolean }

/**
 * Milliseconds without progress after which an attempt counts as waiting. This is reported within
 * twice that time. With 20, attempts to receivers on a busy machine counted as waiting. The
 * attempts sent instead opened more connections than are kept.
 */
const QUIET_MILLIS = 100

// One timer checks all attempts that are not known to wait. Most attempts end before its first
// check and are never reported.
export const watchAttempts = ({ after }: Pick<Timers, 'after'>, notify: OnActivity) => {
  const active = new Set<WatchedAttempt>()
  let isScheduled = false

  const checkAll = (): void => {
    isScheduled = false
    for (const watched of active)
      if (watched.isQuiet) {
        active.delete(watched)
        notify(watched.attempt, 'waiting')
      } else watched.isQuiet = true
    if (active.size > 0) scheduleCheck()
  }

  const scheduleCheck = (): void => {
    if (isScheduled) return
    isScheduled = true
    after(QUIET_MILLIS, checkAll)
  }

  const add = (watched: WatchedAttempt): void => {
    active.add(watched)
    scheduleCheck()
  }

  return {
    begin: (attempt: string): WatchedAttempt => {
      const watched = { attempt, isQuiet: false, hasEnded: false }
      add(watched)
      return watched
    },
    /** Bytes could be sent, or have arrived. */
    progress: (watched: WatchedAttempt): void => {
      watched.isQuiet = false
      if (watched.hasEnded || active.has(watched)) return
      add(watched)
      notify(watched.attempt, 'active')
    },
    end: (watched: WatchedAttempt): void => {
      watched.hasEnded = true
      active.delete(watched)
    },
  }
}
