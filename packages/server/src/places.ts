// A dispatcher has a limited number of places for deliveries, and for other work. Jobs that were claimed ahead wait here, so
// that a free place is taken immediately while the store is asked for more. A delivery that only waits for its answer has no
// place: it costs a socket and a timer, and other deliveries go on.
import type { Timers } from '@plazo/adapters/system'
import { type AttemptActivity, type Entry, queueNameOf } from '@plazo/core'

type Place = 'deliveries' | 'work'

/** An instant by both clocks: only one of them shows that the machine slept. */
export type Instant = { readonly monotonic: number; readonly real: number }

type PlacesParts = {
  readonly limits: { readonly [place in Place]: number }
  /** Milliseconds until a lease expires. */
  readonly lease: number
  readonly timers: Pick<Timers, 'monotonicNow' | 'realNow'>
  /** Called to begin a job, because its place is free. */
  readonly perform: (entry: Entry) => void
  /** Called for a job that was not begun in time and is no longer held here. */
  readonly onTooLate: (entry: Entry) => void
}

type Places = {
  readonly now: () => Instant
  /** Carries out the jobs that were claimed at `since`, each when a place is free. */
  readonly begin: (entries: readonly Entry[], since: Instant) => void
  /** Keeps the entry's place during `work`. Then the next job gets the place, even if this one is not settled yet. */
  readonly occupy: <A>(entry: Entry, work: () => Promise<A>) => Promise<A>
  /**
   * A delivery that waits leaves its place. A delivery that goes on takes a place again, even over the limit. `token`: the
   * entry's. Returns the entry that leaves its place and when it began, in monotonic milliseconds; null if none leaves.
   */
  readonly note: (
    token: string,
    activity: AttemptActivity,
  ) => { readonly entry: Entry; readonly begunAt: number } | null
  /** Deliveries that are claimed but not answered, including those without a place. */
  readonly deliveries: () => number
  /** Deliveries that wait for an answer. */
  readonly waiting: () => number
  /** Removes a job that is settled or given up. */
  readonly end: (entry: Entry) => void
  /** How many more may be claimed: one for every place, and one ahead for each place that will soon be free. */
  readonly roomFor: (place: Place) => number
  /** All jobs that are not settled. */
  readonly held: () => readonly Entry[]
  readonly isIdle: () => boolean
  /** Releases and returns the jobs that were not begun. */
  readonly giveUpAhead: () => readonly Entry[]
}

// Milliseconds. A place that was taken longer ago will not be free soon, so nothing is claimed ahead for it. A job that waits
// here can no longer be withdrawn or given to another server, and its lease runs.
const PROMPT = 1_000

export const placeOf = ({ work }: Entry): Place => (queueNameOf(work.kind) === 'work' ? 'work' : 'deliveries')

export const dispatcherPlaces = ({ limits, lease, timers, perform, onTooLate }: PlacesParts): Places => {
  const claimed = new Map<string, { readonly entry: Entry; readonly since: Instant }>()
  // The tokens of the jobs that have a place, and since when.
  const busy: { readonly [place in Place]: Map<string, number> } = { deliveries: new Map(), work: new Map() }
  const waiting = new Set<string>()
  const ahead: { readonly [place in Place]: Entry[] } = { deliveries: [], work: [] }

  const now = (): Instant => ({ monotonic: timers.monotonicNow(), real: timers.realNow() })

  // An attempt may take half of a lease. If the process was frozen, or a job waited that long for a place, another server may
  // have the job by now, or it may be withdrawn.
  const isTooLate = ({ token }: Entry): boolean => {
    const since = claimed.get(token)?.since
    if (since === undefined) return true
    const { monotonic, real } = now()
    return Math.max(monotonic - since.monotonic, real - since.real) > lease / 2
  }

  const beginNext = (place: Place): void => {
    while (busy[place].size < limits[place]) {
      const entry = ahead[place].shift()
      if (entry === undefined) return
      if (isTooLate(entry)) {
        claimed.delete(entry.token)
        onTooLate(entry)
      } else perform(entry)
    }
  }

  return {
    now,
    begin: (entries, since) => {
      for (const entry of entries) {
        claimed.set(entry.token, { entry, since })
        ahead[placeOf(entry)].push(entry)
      }
      beginNext('deliveries')
      beginNext('work')
    },
    occupy: async (entry, work) => {
      const place = placeOf(entry)
      busy[place].set(entry.token, timers.monotonicNow())
      try {
        return await work()
      } finally {
        busy[place].delete(entry.token)
        waiting.delete(entry.token)
        beginNext(place)
      }
    },
    note: (token, activity) => {
      if (activity === 'active') {
        if (waiting.delete(token)) busy.deliveries.set(token, timers.monotonicNow())
        return null
      }
      const begunAt = busy.deliveries.get(token)
      const entry = claimed.get(token)?.entry
      if (begunAt === undefined || entry === undefined) return null
      busy.deliveries.delete(token)
      waiting.add(token)
      beginNext('deliveries')
      return { entry, begunAt }
    },
    deliveries: () => busy.deliveries.size + waiting.size + ahead.deliveries.length,
    waiting: () => waiting.size,
    end: ({ token }) => void claimed.delete(token),
    roomFor: (place) => {
      const promptSince = timers.monotonicNow() - PROMPT
      let slow = 0
      for (const begunAt of busy[place].values()) if (begunAt < promptSince) slow += 1
      return Math.max(0, 2 * limits[place] - slow - busy[place].size - ahead[place].length)
    },
    held: () => [...claimed.values()].map(({ entry }) => entry),
    isIdle: () => claimed.size === 0,
    giveUpAhead: () => {
      const unbegun = [...ahead.deliveries.splice(0), ...ahead.work.splice(0)]
      for (const { token } of unbegun) claimed.delete(token)
      return unbegun
    },
  }
}
