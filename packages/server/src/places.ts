// The places of a dispatcher: so many deliveries at once, and so much other work; and what was claimed ahead, so that a place
// that comes free while the store is asked for more is taken at once. A delivery that only waits for its answer has no place:
// it costs a socket and a timer, and others go on.
import type { Timers } from '@plazo/adapters/system'
import { type AttemptActivity, type Entry, workClass } from '@plazo/core'

type Place = 'deliveries' | 'work'

/** A machine that slept knows it by one of its clocks only. */
export type Instant = { readonly monotonic: number; readonly real: number }

type PlacesParts = {
  readonly limits: { readonly [place in Place]: number }
  /** Milliseconds until a claim passes on. */
  readonly lease: number
  readonly timers: Pick<Timers, 'monotonicNow' | 'realNow'>
  /** Begun, as its place is free. */
  readonly perform: (entry: Entry) => void
  /** Not begun, and no more held here. */
  readonly onTooLate: (entry: Entry) => void
}

type Places = {
  readonly now: () => Instant
  /** What was claimed then is carried out, each as a place comes free. */
  readonly begin: (entries: readonly Entry[], since: Instant) => void
  /** While it lasts the entry has its place; then the next has it, though the entry is not settled yet. */
  readonly occupy: <A>(entry: Entry, work: () => Promise<A>) => Promise<A>
  /**
   * A delivery that waits leaves its place. One that goes on has it again, over the limit if need be. By the entry's token.
   * Answers with the entry that leaves its place, and when it was begun; null where none does.
   */
  readonly note: (
    token: string,
    activity: AttemptActivity,
  ) => { readonly entry: Entry; readonly begunAt: number } | null
  /** Deliveries that are claimed and not answered, those without a place too. */
  readonly deliveries: () => number
  /** Deliveries that wait for an answer. */
  readonly waiting: () => number
  /** It is settled, or given up. */
  readonly end: (entry: Entry) => void
  /** How many more may be claimed: one for every place, and one ahead for each that will soon come free. */
  readonly roomFor: (place: Place) => number
  /** All that is not settled. */
  readonly held: () => readonly Entry[]
  readonly isIdle: () => boolean
  /** What was not begun, which is held no more. */
  readonly giveUpAhead: () => readonly Entry[]
}

// A place that has been taken for longer will not soon come free, and nothing is claimed ahead for it: what waits here is
// neither withdrawn any more nor given to another server, and its lease runs.
const PROMPT = 1_000

export const placeOf = ({ work }: Entry): Place => (workClass(work.kind) === 'work' ? 'work' : 'deliveries')

export const dispatcherPlaces = ({ limits, lease, timers, perform, onTooLate }: PlacesParts): Places => {
  const claimed = new Map<string, { readonly entry: Entry; readonly since: Instant }>()
  // By their tokens, and since when.
  const busy: { readonly [place in Place]: Map<string, number> } = { deliveries: new Map(), work: new Map() }
  const waiting = new Set<string>()
  const ahead: { readonly [place in Place]: Entry[] } = { deliveries: [], work: [] }

  const now = (): Instant => ({ monotonic: timers.monotonicNow(), real: timers.realNow() })

  // An attempt may take the half of a lease. Whoever was frozen, or waited for a place for so long, may find that others
  // have it by now, or that it was withdrawn.
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
