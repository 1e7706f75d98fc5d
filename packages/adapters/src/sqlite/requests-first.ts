// Which of the jobs that wait the next commit takes: while requests come in a burst they go first, for a second at most.
// After it all go as they came, until a turn finds no request: in lasting overload nobody starves, and codes are still sent.

export type Ranked = {
  /** Somebody waits for it at a screen. */
  readonly isRequest: boolean
}

export type RequestsFirst<J extends Ranked> = {
  /** `waiting` in the order they came; answers what a commit takes, in the order it runs them. */
  readonly next: (waiting: readonly J[]) => readonly J[]
  /** To be told what waits still, after that commit. */
  readonly left: (waiting: readonly J[]) => void
}

const JOBS_PER_COMMIT = 128
const BURST = 1_000

// Background work may share a commit with so few requests that it makes them wait for little, and saves a flush.
const SHARED = 16

export const requestsFirst = <J extends Ranked>(monotonicNow: () => number): RequestsFirst<J> => {
  // Since when each commit has had requests, and left background work behind.
  let burstSince: number | null = null

  const isOver = (): boolean => burstSince !== null && monotonicNow() - burstSince > BURST

  return {
    next: (waiting) => {
      const requests = waiting.filter(({ isRequest }) => isRequest)
      if (requests.length === 0) burstSince = null
      if (requests.length === 0 || isOver()) return waiting.slice(0, JOBS_PER_COMMIT)
      const room = Math.max(0, SHARED - requests.length)
      return [...requests.slice(0, JOBS_PER_COMMIT), ...waiting.filter(({ isRequest }) => !isRequest).slice(0, room)]
    },
    left: (waiting) => {
      if (isOver()) return
      burstSince = waiting.some(({ isRequest }) => !isRequest) ? (burstSince ?? monotonicNow()) : null
    },
  }
}
