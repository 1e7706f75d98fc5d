// In a burst of requests, background work lets them go first, so that shoppers are answered sooner. It does so for a second at
// most: under a lasting load it must go on too.
import type { Timers } from '../system/clock-and-ids.ts'

type Burst = {
  /** A request has come. `open`: the requests without an answer, including this one. */
  readonly noteRequest: (open: number) => void
  readonly noteAnswer: () => void
  readonly isFirstSecond: () => boolean
  /** For so many milliseconds, the next requests are expected. */
  readonly lullMillis: () => number
}

// Fewer requests at once are no burst: background work that shares their commit delays them little, and saves a flush.
const BURST = 16
const FIRST_MILLIS = 1_000
// A burst is over once no request has been open for this long.
const QUIET_MILLIS = 250
// The answers of one commit bring the next requests of a burst within a few milliseconds.
const LULL_MILLIS = 10

export const createBurst = ({ monotonicNow }: Pick<Timers, 'monotonicNow'>): Burst => {
  let since: number | null = null
  let lastRequestAt = Number.NEGATIVE_INFINITY
  return {
    noteRequest: (open) => {
      const now = monotonicNow()
      if (open === 1 && now - lastRequestAt >= QUIET_MILLIS) since = null
      if (open >= BURST) since ??= now
      lastRequestAt = now
    },
    noteAnswer: () => {
      lastRequestAt = monotonicNow()
    },
    isFirstSecond: () => since !== null && monotonicNow() - since < FIRST_MILLIS,
    lullMillis: () => Math.max(0, lastRequestAt + LULL_MILLIS - monotonicNow()),
  }
}
