// Which of the jobs that wait the next commit takes: requests that come in a burst go first, for a second. After it all go
// as they came, until no request has come for a while: in lasting overload nobody starves, and codes are still sent.

export type Ranked = {
  /** Somebody waits for it at a screen. */
  readonly isRequest: boolean
}

const JOBS_PER_COMMIT = 128
const FIRST_FOR = 1_000
const QUIET = 250

// Fewer at once are no burst: background work that shares their commit makes them wait for little, and saves a flush.
const BURST = 16

/**
 * To be asked at each turn, with what waits in the order it came, and how many requests are being written; answers what the
 * commit takes.
 */
export const requestsFirst = (monotonicNow: () => number) => {
  let since: number | null = null
  let metAt = monotonicNow()

  return <J extends Ranked>(waiting: readonly J[], written: number): readonly J[] => {
    const requests = waiting.filter(({ isRequest }) => isRequest)
    const unanswered = requests.length + written
    const now = monotonicNow()
    if (now - metAt >= QUIET) since = null
    if (unanswered > 0) metAt = now
    if (unanswered < BURST || requests.length === waiting.length) return waiting.slice(0, JOBS_PER_COMMIT)
    since ??= now
    return (now - since > FIRST_FOR ? waiting : requests).slice(0, JOBS_PER_COMMIT)
  }
}
