// Owns time in a simulated world: everything that waits runs here, one after another. After each, all promises that can
// continue do so.

type ScheduledCall = { readonly cancel: () => void }

/** A poll looks for due jobs. If nothing can be due, it may be postponed. */
type Turn = 'poll' | 'background' | 'other'

export type Scheduler = {
  /** Milliseconds since the world began. It never decreases. */
  readonly now: () => number
  readonly after: (millis: number, call: () => void, turn?: Turn) => ScheduledCall
  readonly sleep: (millis: number) => Promise<void>
  /** Lets time pass in which nothing else runs, for example a flush of the disk. */
  readonly spend: (millis: number) => void
  /** The next entry to run. */
  readonly next: () => { readonly due: number; readonly turn: Turn } | null
  /** When the next entry runs that is neither a poll nor background work. */
  readonly nextOther: () => number
  /** Postpones the next entry until then. */
  readonly putOff: (until: number) => void
  /** Runs the next entry, and waits until everything that it started can go no further. */
  readonly step: () => Promise<void>
  readonly steps: () => number
}

type Entry = { due: number; readonly seq: number; readonly call: () => void; readonly turn: Turn; isCancelled: boolean }

const isBefore = (a: Entry, b: Entry): boolean => a.due < b.due || (a.due === b.due && a.seq < b.seq)

const waitTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const scheduler = (): Scheduler => {
  const heap: Entry[] = []
  let now = 0
  let seq = 0
  let steps = 0

  const up = (from: number): void => {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      const [child, above] = [heap[at] as Entry, heap[parent] as Entry]
      if (!isBefore(child, above)) return
      heap[at] = above
      heap[parent] = child
      at = parent
    }
  }

  const down = (from: number): void => {
    for (let at = from; ; ) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && isBefore(heap[child] as Entry, heap[least] as Entry)) least = child
      if (least === at) return
      const moved = heap[at] as Entry
      heap[at] = heap[least] as Entry
      heap[least] = moved
      at = least
    }
  }

  const push = (entry: Entry): void => {
    heap.push(entry)
    up(heap.length - 1)
  }

  const pop = (): Entry | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (first !== undefined && last !== undefined && first !== last) {
      heap[0] = last
      down(0)
    }
    return first
  }

  const dropCancelled = (): void => {
    while (heap[0]?.isCancelled === true) pop()
  }

  const after: Scheduler['after'] = (millis, call, turn = 'other') => {
    const entry: Entry = { due: now + Math.max(0, millis), seq: seq++, call, turn, isCancelled: false }
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
      return heap[0] ?? null
    },
    nextOther: () =>
      heap.reduce(
        (least, { due, turn, isCancelled }) => (isCancelled || turn !== 'other' ? least : Math.min(least, due)),
        Number.POSITIVE_INFINITY,
      ),
    putOff: (until) => {
      const entry = pop()
      if (entry !== undefined) push(Object.assign(entry, { due: Math.max(entry.due, until), seq: seq++ }))
    },
    step: async () => {
      dropCancelled()
      const entry = pop()
      if (entry === undefined) return
      now = Math.max(now, entry.due)
      steps += 1
      entry.call()
      await waitTurn()
    },
    steps: () => steps,
  }
}
