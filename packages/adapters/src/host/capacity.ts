// Decides what may start on this node, so that endpoints that hang cannot take the node away from the
// others. It is the only place with that decision, and it knows nothing of stores and HTTP.
//
// A delivery is active while it prepares, sends or reads. While it waits for the answer, it costs a
// socket and a timer, and others go on. For each active place one more job, of any kind, is claimed
// ahead and waits here: it begins while the store is asked for more. A merchant that is not good has
// one place of its own for an event and one for an IPN. No such place is taken while they fill half of
// the node's sockets, or half of its active deliveries while a good merchant has something due.
// Contract §6, Fairness.

import {
  type AttemptActivity,
  type ClaimRequest,
  type EndpointRef,
  type Job,
  queueNameOf,
  SLOW_AFTER_MILLIS,
} from '@plazo/core/ports'
import type { CancelableTimer, Timers } from '../system/clock-and-ids.ts'

/** How many jobs a node runs at once, by kind. Contract §6, Fairness. */
export type CapacityLimits = {
  /** Deliveries that are active on this node. */
  readonly deliveries: number
  /** Deliveries in flight on this node, with those that wait for an answer. Default 4,000. */
  readonly sockets?: number
  /** Other jobs that run on this node. */
  readonly internal: number
  /** Events of one account's good merchants in flight on all nodes, and as many of its IPNs. */
  readonly perAccount: number
}

/** What a claim may ask for. */
export type FreePlaces = Pick<ClaimRequest, 'capacity' | 'perAccount' | 'slow'>

type CapacityParts = {
  readonly limits: CapacityLimits
  readonly timers: Pick<Timers, 'monotonicNow' | 'after'>
  /** Called once for an attempt that has waited for three seconds. */
  readonly onSlow: (job: Job) => void
}

/** A job that was claimed. */
type Claimed = {
  /** `ahead`: it has not begun yet. */
  state: 'ahead' | 'active' | 'waiting'
  begin: () => void
  startedAt: number
}

/** `timer`: null until it waits for the first time. */
type Delivery = Claimed & {
  readonly job: Job
  isGood: boolean
  isSlow: boolean
  timer: CancelableTimer | null
}

// Milliseconds. Nothing is claimed ahead for a place taken for longer: another node may have one.
const SOON_FREE = 1_000

export const isDelivery = ({ payload }: Job): boolean => queueNameOf(payload.kind) !== 'work'

const isActive = ({ state }: Claimed): boolean => state === 'active'
const isWaiting = ({ state }: Claimed): boolean => state === 'waiting'

/** Places for so many jobs of one kind. Those that were claimed first begin first. */
const createPlaces = <Entry extends Claimed>(
  limit: number,
  { monotonicNow }: Pick<Timers, 'monotonicNow'>,
) => {
  const jobs = new Map<string, Entry>()
  let places = limit

  const count = (isCounted: (entry: Entry) => boolean): number => {
    let counted = 0
    for (const entry of jobs.values()) if (isCounted(entry)) counted += 1
    return counted
  }

  const beginWhereFree = (): void => {
    let free = places - count(isActive)
    for (const entry of jobs.values()) {
      if (free <= 0) return
      if (entry.state !== 'ahead') continue
      entry.state = 'active'
      entry.startedAt = monotonicNow()
      entry.begin()
      free -= 1
    }
  }

  return {
    jobs,
    count,
    beginWhereFree,
    /** How many may be claimed: one for each place, and one ahead if it is free or soon will be. */
    free: (): number => {
      const since = monotonicNow() - SOON_FREE
      let free = 2 * limit
      for (const entry of jobs.values())
        if (!isWaiting(entry)) free -= isActive(entry) && entry.startedAt < since ? 2 : 1
      return Math.max(0, free)
    },
    /** Begins `work` once the job has a place, which it keeps meanwhile. */
    run: async <A>({ token }: Job, entry: Entry, work: () => Promise<A>): Promise<A> => {
      jobs.set(token, entry)
      beginWhereFree()
      if (entry.state === 'ahead')
        await new Promise<void>((begin) => Object.assign(entry, { begin }))
      try {
        return await work()
      } finally {
        jobs.delete(token)
        beginWhereFree()
      }
    },
    /** From now on there is a place for every job. */
    unlimit: (): void => {
      places = Number.POSITIVE_INFINITY
      beginWhereFree()
    },
  }
}

export const createCapacity = ({ limits, timers, onSlow }: CapacityParts) => {
  const { sockets = 4_000 } = limits
  const deliveries = createPlaces<Delivery>(limits.deliveries, timers)
  const internal = createPlaces<Claimed>(limits.internal, timers)
  /** Endpoints that became slow since the last claim. */
  const slow = new Map<string, EndpointRef>()
  const pauses = { deliveries: 0, notGood: 0 }
  // A claim with room for good merchants has shown that none of them has anything due.
  let isNoGoodDue = false
  let isUnlimited = false

  const freeDeliveries = (): number =>
    pauses.deliveries > 0
      ? 0
      : Math.max(0, Math.min(deliveries.free(), sockets - deliveries.jobs.size))

  /** `share`: the part of the active deliveries that merchants that are not good may fill. */
  const freeNotGood = (share: number): number => {
    if (pauses.notGood > 0) return 0
    const notWaiting = deliveries.count((each) => !each.isGood && !isWaiting(each))
    const free = Math.min(
      Math.ceil(sockets / 2) - deliveries.count(({ isGood }) => !isGood),
      Math.ceil(limits.deliveries * share) - notWaiting,
      freeDeliveries(),
    )
    return Math.max(0, free)
  }

  const becomeSlow = (delivery: Delivery): void => {
    const { job } = delivery
    delivery.isSlow = true
    delivery.isGood = false
    const endpoint = endpointOf(job)
    slow.set(`${endpoint.kind} ${endpoint.merchantRef}`, endpoint)
    onSlow(job)
  }

  return {
    free: (): FreePlaces => {
      const free = freeDeliveries()
      const notGood = isUnlimited ? free : freeNotGood(isNoGoodDue ? 1 : 1 / 2)
      return {
        capacity: { deliveries: free, notGood, internal: internal.free() },
        perAccount: isUnlimited ? null : limits.perAccount,
        slow: [...slow.values()],
      }
    },
    /**
     * A claim was answered. Returns true if another one may find more at once: no good merchant had
     * anything due, so the others may fill all active places.
     */
    noteClaim: ({ capacity, slow: written = [] }: FreePlaces, jobs: readonly Job[]): boolean => {
      for (const { kind, merchantRef } of written) slow.delete(`${kind} ${merchantRef}`)
      const claimed = jobs.filter(isDelivery)
      isNoGoodDue =
        !isNoGoodDue &&
        claimed.every(({ isGood }) => isGood === false) &&
        claimed.length >= capacity.notGood &&
        freeNotGood(1) > capacity.notGood
      return isNoGoodDue
    },
    /** Begins `work` once the job has a place, which it keeps meanwhile. */
    run: async <A>(job: Job, work: () => Promise<A>): Promise<A> => {
      const entry: Claimed = { state: 'ahead', begin: () => {}, startedAt: 0 }
      if (!isDelivery(job)) return internal.run(job, entry, work)
      const isGood = job.isGood !== false
      const delivery: Delivery = { ...entry, job, isGood, isSlow: false, timer: null }
      return deliveries.run(job, delivery, async () => {
        try {
          return await work()
        } finally {
          delivery.timer?.cancel()
          // A gateway need not report that an attempt waits.
          const duration = timers.monotonicNow() - delivery.startedAt
          if (!delivery.isSlow && duration > SLOW_AFTER_MILLIS) becomeSlow(delivery)
        }
      })
    },
    /**
     * A delivery, given by its job's token, waits for the other side and leaves its active place, or
     * goes on and takes one again, even over the limit, unless it is slow. Returns true if a place
     * became free.
     */
    noteActivity: (token: string, activity: AttemptActivity): boolean => {
      const delivery = deliveries.jobs.get(token)
      if (delivery === undefined) return false
      const wasActive = isActive(delivery)
      // Bytes that arrive one by one, after three seconds, are not worth a place.
      delivery.state = activity === 'active' && !delivery.isSlow ? 'active' : 'waiting'
      if (isActive(delivery) || !wasActive) return false
      const slowAt = delivery.startedAt + SLOW_AFTER_MILLIS
      delivery.timer ??= timers.after(Math.max(0, slowAt - timers.monotonicNow()), () =>
        becomeSlow(delivery),
      )
      deliveries.beginWhereFree()
      return true
    },
    /**
     * None of these may start for so many real milliseconds: no delivery, or none to a merchant that
     * is not good. Then calls `whenOver`.
     */
    pause: (which: keyof typeof pauses, millis: number, whenOver: () => void): void => {
      pauses[which] += 1
      timers.after(millis, () => {
        pauses[which] -= 1
        whenOver()
      })
    },
    isPaused: (): boolean => pauses.deliveries + pauses.notGood > 0,
    /** True: until told otherwise, an account or a merchant may have all places. */
    setUnlimited: (unlimited: boolean): void => {
      isUnlimited = unlimited
    },
    /** Those that were claimed ahead begin now, places or not, so that `work` can give them back. */
    stop: (): void => {
      deliveries.unlimit()
      internal.unlimit()
    },
    /** Deliveries that wait for an answer. */
    waiting: (): number => deliveries.count(isWaiting),
  }
}

const endpointOf = ({ merchantRef, payload }: Job): EndpointRef => ({
  merchantRef,
  kind: payload.kind === 'ipn' ? 'ipn' : 'event',
})
