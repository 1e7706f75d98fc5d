// Which of the jobs that wait the next commit takes: requests that come in a burst go first, for a second. After it all go
// as they came, until a turn finds no request: in lasting overload nobody starves, and codes are still sent.

export type Ranked = {
  /** Somebody waits for it at a screen. */
  readonly isRequest: boolean
}

const JOBS_PER_COMMIT = 128
const FIRST_FOR = 1_000

// Fewer at once are no burst: background work that shares their commit makes them wait for little, and saves a flush.
const BURST = 16

/** To be asked at each turn, with what waits in the order it came; answers what the commit takes. */
export const requestsFirst = (monotonicNow: () => number) => {
  let since: number | null = null

  return <J extends Ranked>(waiting: readonly J[]): readonly J[] => {
    const requests = waiting.filter(({ isRequest }) => isRequest)
    if (requests.length === 0) since = null
    if (requests.length < BURST || requests.length === waiting.length) return waiting.slice(0, JOBS_PER_COMMIT)
    since ??= monotonicNow()
    const isOver = monotonicNow() - since > FIRST_FOR
    return (isOver ? waiting : requests).slice(0, JOBS_PER_COMMIT)
  }
}
