// Owns time in a simulated world: everything that waits runs here, one after another. After each,
// all promises that can continue do so.

type ScheduledCall = { readonly cancel: () => void }

/** A poll looks for work, such as due jobs. While nothing else happens, it may be postponed. */
type Turn = 'poll' | 'other'

export type Scheduler = {
  /** Milliseconds since the world began. It never decreases. */
  readonly now: () => number
  readonly after: (millis: number, call: () => void, turn?: Turn) => ScheduledCall
  readonly sleep: (millis: number) => Promise<void>
  /** Lets time pass in which nothing else runs, for example a flush of the disk. */
  readonly spend: (millis: number) => void
  /** The next entry to run. */
  readonly next: () => { readonly dueAt: number; readonly turn: Turn } | null
  /** When the next entry runs that is not a poll. */
  readonly nextOther: () => number
  /** Postpones the next entry until then. */
  readonly putOff: (until: number) => void
  /** Runs the next entry, and waits until everything that it started can go no further. */
  readonly step: () => Promise<void>
  readonly steps: () => number
}

type Entry = {
  dueAt: number
  readonly seq: number
  readonly call: () => void
  readonly turn: Turn
  isCancelled: boolean
}

const waitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const scheduler = (): Scheduler => {
  /** The next entry is the last one. */
  const entries: Entry[] = []
  let now = 0
  let seq = 0
  let steps = 0

  const push = (entry: Entry): void => {
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const { dueAt, seq } = entries[middle] as Entry
      if (dueAt > entry.dueAt || (dueAt === entry.dueAt && seq > entry.seq)) low = middle + 1
      else high = middle
    }
    entries.splice(low, 0, entry)
  }

  const dropCancelled = (): void => {
    while (entries.at(-1)?.isCancelled === true) entries.pop()
  }

  const after: Scheduler['after'] = (millis, call, turn = 'other') => {
    const entry: Entry = {
      dueAt: now + Math.max(0, millis),
      seq: seq++,
      call,
      turn,
      isCancelled: false,
    }
    push(entry)
    return {
      cancel: () => {
        entry.isCancelled = true
      },
    }
  }

  return {
    now: () => now,
    after,
    sleep: (millis) => new Promise((resolve) => after(millis, resolve)),
    spend: (millis) => {
      now += millis
    },
    next: () => {
      dropCancelled()
      return entries.at(-1) ?? null
    },
    nextOther: () =>
      entries.reduce(
        (least, { dueAt, turn, isCancelled }) =>
          isCancelled || turn !== 'other' ? least : Math.min(least, dueAt),
        Number.POSITIVE_INFINITY,
      ),
    putOff: (until) => {
      const entry = entries.pop()
      if (entry !== undefined)
        push(Object.assign(entry, { dueAt: Math.max(entry.dueAt, until), seq: seq++ }))
    },
    step: async () => {
      dropCancelled()
      const entry = entries.pop()
      if (entry === undefined) return
      now = Math.max(now, entry.dueAt)
      steps += 1
      entry.call()
      await waitTurn()
    },
    steps: () => steps,
  }
}
