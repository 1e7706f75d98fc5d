// Selects the waiting jobs for the next commit. In a burst, requests go first for one second. Then all jobs go in the order of
// arrival until no request has come for a while. So no job starves in lasting overload, and codes are still sent.

export type Ranked = {
  /** An HTTP request is waiting for this write. */
  readonly isRequest: boolean
}

const JOBS_PER_COMMIT = 128
const FIRST_FOR = 1_000
const QUIET = 250

// Fewer at once are not a burst: background work in the same commit delays them only a little, and saves a flush.
const BURST = 16

/**
 * Returns a function to call at each turn, with the waiting jobs in the order of arrival and the number of requests that are
 * being written. It returns the jobs for the next commit.
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
