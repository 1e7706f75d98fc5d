// A dispatcher has a limited number of places for deliveries, and for other work. Jobs that were
// claimed ahead wait here, so that a free place is taken immediately while the store is asked for
// more. A delivery that only waits for its answer has no place: it costs a socket and a timer, and
// other deliveries go on.
import type { Timers } from '@plazo/adapters/system'
import { type AttemptActivity, type Job, queueNameOf } from '@plazo/core/ports'

type SlotKind = 'deliveries' | 'internal'

/** How many jobs run at the same time. A delivery that waits for its answer does not count. */
export type SlotLimits = { readonly [kind in SlotKind]: number }

/** An instant by both clocks: only one of them shows that the machine slept. */
type Instant = { readonly monotonic: number; readonly real: number }

type WorkerSlotsParts = {
  readonly limits: SlotLimits
  /** Milliseconds until a lease expires. */
  readonly lease: number
  readonly timers: Pick<Timers, 'monotonicNow' | 'realNow'>
  /** Called to begin a job, because its place is free. */
  readonly perform: (job: Job) => void
  /** Called for a job that was not started in time. */
  readonly onTooLate: (job: Job) => void
}

// Milliseconds. One job is prefetched for each slot, but not for slots that have been busy for longer.
// A job that waits here can no longer be revoked or given to another server, and its lease runs.
const SOON_FREE_MILLIS = 1_000

export const slotKindOf = ({ payload }: Job): SlotKind =>
  queueNameOf(payload.kind) === 'work' ? 'internal' : 'deliveries'

export const createWorkerSlots = ({
  limits,
  lease,
  timers,
  perform,
  onTooLate,
}: WorkerSlotsParts) => {
  const claimed = new Map<string, { readonly job: Job; readonly since: Instant }>()
  // The tokens of the jobs that have a place, and since when.
  const busy: { readonly [kind in SlotKind]: Map<string, number> } = {
    deliveries: new Map(),
    internal: new Map(),
  }
  const waiting = new Set<string>()
  const prefetched: { readonly [kind in SlotKind]: Job[] } = { deliveries: [], internal: [] }

  const now = (): Instant => ({ monotonic: timers.monotonicNow(), real: timers.realNow() })

  // An attempt may take half of a lease. If the process was frozen, or a job waited that long for a
  // place, another server may have the job by now, or it may be revoked.
  const isTooLate = ({ token }: Job): boolean => {
    const since = claimed.get(token)?.since
    if (since === undefined) return true
    const { monotonic, real } = now()
    return Math.max(monotonic - since.monotonic, real - since.real) > lease / 2
  }

  const startNext = (kind: SlotKind): void => {
    while (busy[kind].size < limits[kind]) {
      const job = prefetched[kind].shift()
      if (job === undefined) return
      if (isTooLate(job)) onTooLate(job)
      else perform(job)
    }
  }

  return {
    now,
    /** Runs the jobs that were claimed at `since`, each when a place is free. */
    start: (jobs: readonly Job[], since: Instant): void => {
      for (const job of jobs) {
        claimed.set(job.token, { job, since })
        prefetched[slotKindOf(job)].push(job)
      }
      startNext('deliveries')
      startNext('internal')
    },
    /**
     * Keeps the job's place during `work`. Then the next job gets the place, even if this one is
     * not completed yet.
     */
    run: async <A>(job: Job, work: () => Promise<A>): Promise<A> => {
      const kind = slotKindOf(job)
      busy[kind].set(job.token, timers.monotonicNow())
      try {
        return await work()
      } finally {
        busy[kind].delete(job.token)
        waiting.delete(job.token)
        startNext(kind)
      }
    },
    /**
     * A delivery that waits leaves its place. A delivery that goes on takes a place again, even
     * over the limit. `token`: the job's. Returns the job that leaves its place and when it began,
     * in monotonic milliseconds; null if none leaves.
     */
    noteActivity: (token: string, activity: AttemptActivity) => {
      if (activity === 'active') {
        if (waiting.delete(token)) busy.deliveries.set(token, timers.monotonicNow())
        return null
      }
      const startedAt = busy.deliveries.get(token)
      const job = claimed.get(token)?.job
      if (startedAt === undefined || job === undefined) return null
      busy.deliveries.delete(token)
      waiting.add(token)
      startNext('deliveries')
      return { job, startedAt }
    },
    /** Deliveries that are claimed but not answered, including those without a place. */
    deliveries: (): number => busy.deliveries.size + waiting.size + prefetched.deliveries.length,
    /** Deliveries that wait for an answer. */
    waiting: (): number => waiting.size,
    /** Removes a job that is completed or released. */
    remove: ({ token }: Job) => void claimed.delete(token),
    clear: () => claimed.clear(),
    holds: ({ token }: Job): boolean => claimed.has(token),
    /**
     * How many more may be claimed: one for every place, and one ahead for each place that will
     * soon be free.
     */
    capacityFor: (kind: SlotKind): number => {
      const promptSince = timers.monotonicNow() - SOON_FREE_MILLIS
      let slowCount = 0
      for (const startedAt of busy[kind].values()) if (startedAt < promptSince) slowCount += 1
      return Math.max(0, 2 * limits[kind] - slowCount - busy[kind].size - prefetched[kind].length)
    },
    /** All jobs that are not completed or released. */
    claimedJobs: (): readonly Job[] => [...claimed.values()].map(({ job }) => job),
    isIdle: (): boolean => claimed.size === 0,
    /** The jobs that were not started. They will not start any more. */
    takePrefetched: (): readonly Job[] => [
      ...prefetched.deliveries.splice(0),
      ...prefetched.internal.splice(0),
    ],
  }
}
