// Tells which attempts wait for the other side. A waiting attempt costs a socket and a timer; only those being sent or read
// keep a node busy, so only they count against its limit. Contract §6, Fairness.
import type { AttemptActivity } from '@plazo/core'
import type { Timers } from '../system/timers.ts'

type WatchedAttempt = {
  /** Bytes could be sent, or have arrived. */
  readonly progress: () => void
  readonly end: () => void
}

type AttemptWatch = (tell: (activity: AttemptActivity) => void) => WatchedAttempt

/**
 * Milliseconds without progress after which an attempt waits. It is told within twice that time. With 20, receivers on a busy
 * machine were taken to wait, and what went out instead opened more connections than are kept.
 */
const LULL = 100

const UNWATCHED: WatchedAttempt = { progress: () => {}, end: () => {} }

/** An attempt that nobody asks about. */
export const unwatched: AttemptWatch = () => UNWATCHED

// One timer looks at all attempts that are not known to wait. Most end before it first comes by, and are never told of.
export const attemptWatch = ({ after }: Pick<Timers, 'after'>): AttemptWatch => {
  const active = new Set<{ isQuiet: boolean; readonly waits: () => void }>()
  let isLooking = false

  const lookSoon = (): void => {
    if (isLooking) return
    isLooking = true
    after(LULL, look)
  }

  const look = (): void => {
    isLooking = false
    for (const attempt of active)
      if (attempt.isQuiet) {
        active.delete(attempt)
        attempt.waits()
      } else attempt.isQuiet = true
    if (active.size > 0) lookSoon()
  }

  return (tell) => {
    const attempt = { isQuiet: false, waits: () => tell('waiting') }
    let hasEnded = false
    active.add(attempt)
    lookSoon()
    return {
      progress: () => {
        attempt.isQuiet = false
        if (hasEnded || active.has(attempt)) return
        active.add(attempt)
        lookSoon()
        tell('active')
      },
      end: () => {
        hasEnded = true
        active.delete(attempt)
      },
    }
  }
}
