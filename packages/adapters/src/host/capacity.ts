// Decides what may start on this node, so that endpoints that hang cannot take the node away from the
// others. It is the only place with that decision, and it knows nothing of stores and HTTP.
//
// A delivery is active while it prepares, sends or reads. While it waits for the answer, it costs a
// socket and a timer, and others go on. One more is claimed ahead for each active place and waits
// here, so that a place that becomes free is taken while the store is asked for more. A merchant that
// is not good has one place of its own for an event and one for an IPN. No such place is taken while
// they fill half of the node's sockets, or half of its active deliveries while a good merchant has
// something due. Contract §6, Fairness.

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

/** A delivery that was claimed. `timer`: null until it waits for the first time. */
type Delivery = {
  readonly job: Job
  /** `ahead`: it has not begun yet. */
  state: 'ahead' | 'active' | 'waiting'
  begin: () => void
  startedAt: number
  isGood: boolean
  isSlow: boolean
  timer: CancelableTimer | null
}

const SOCKETS_DEFAULT = 4_000

// Milliseconds. Nothing is claimed ahead for a place that has been taken for longer: another node may
// have one that is free.
const SOON_FREE = 1_000

export const isDelivery = ({ payload }: Job): boolean => queueNameOf(payload.kind) !== 'work'

export const createCapacity = ({ limits, timers, onSlow }: CapacityParts) => {
  const { sockets = SOCKETS_DEFAULT } = limits
  const deliveries = new Map<string, Delivery>()
  const internal = new Set<string>()
  /** Endpoints that became slow since the last claim. */
  const slow = new Map<string, EndpointRef>()
  const pauses = { deliveries: 0, notGood: 0 }
  // A claim with room for good merchants has shown that none of them has anything due.
  let isNoGoodDue = false
  let isUnlimited = false
  let isStopping = false

  const countDeliveries = (isCounted: (delivery: Delivery) => boolean): number => {
    let count = 0
    for (const delivery of deliveries.values()) if (isCounted(delivery)) count += 1
    return count
  }

  const isActive = ({ state }: Delivery): boolean => state === 'active'
  const isWaiting = ({ state }: Delivery): boolean => state === 'waiting'

  const freeDeliveries = (): number => {
    if (pauses.deliveries > 0) return 0
    const notWaiting = deliveries.size - countDeliveries(isWaiting)
    const since = timers.monotonicNow() - SOON_FREE
    const notSoonFree = countDeliveries((each) => isActive(each) && each.startedAt < since)
    const free = limits.deliveries + (limits.deliveries - notSoonFree) - notWaiting
    return Math.max(0, Math.min(free, sockets - deliveries.size))
  }

  /** Those that were claimed first begin first. */
  const beginWhereFree = (): void => {
    let places = isStopping
      ? Number.POSITIVE_INFINITY
      : limits.deliveries - countDeliveries(isActive)
    for (const delivery of deliveries.values()) {
      if (places <= 0) return
      if (delivery.state !== 'ahead') continue
      delivery.state = 'active'
      delivery.startedAt = timers.monotonicNow()
      delivery.begin()
      places -= 1
    }
  }

  /** `share`: the part of the active deliveries that merchants that are not good may fill. */
  const freeNotGood = (share: number): number => {
    if (pauses.notGood > 0) return 0
    const inFlight = countDeliveries(({ isGood }) => !isGood)
    const waiting = countDeliveries((delivery) => !delivery.isGood && isWaiting(delivery))
    const free = Math.min(
      Math.ceil(sockets / 2) - inFlight,
      Math.ceil(limits.deliveries * share) - (inFlight - waiting),
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
        capacity: { deliveries: free, notGood, internal: limits.internal - internal.size },
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
      const { token, isGood = true } = job
      if (!isDelivery(job)) {
        internal.add(token)
        return work().finally(() => internal.delete(token))
      }
      const delivery: Delivery = {
        ...{ job, state: 'ahead', begin: () => {}, startedAt: 0 },
        ...{ isGood, isSlow: false, timer: null },
      }
      deliveries.set(token, delivery)
      beginWhereFree()
      if (delivery.state === 'ahead')
        await new Promise<void>((resolve) => {
          delivery.begin = resolve
        })
      try {
        return await work()
      } finally {
        delivery.timer?.cancel()
        // A gateway need not report that an attempt waits.
        const duration = timers.monotonicNow() - delivery.startedAt
        if (!delivery.isSlow && duration > SLOW_AFTER_MILLIS) becomeSlow(delivery)
        deliveries.delete(token)
        beginWhereFree()
      }
    },
    /**
     * A delivery, given by its job's token, waits for the other side and leaves its active place, or
     * goes on and takes one again, even over the limit, unless it is slow. Returns true if a place
     * became free.
     */
    noteActivity: (token: string, activity: AttemptActivity): boolean => {
      const delivery = deliveries.get(token)
      if (delivery === undefined) return false
      const wasActive = isActive(delivery)
      // Bytes that arrive one by one, after three seconds, are not worth a place.
      delivery.state = activity === 'active' && !delivery.isSlow ? 'active' : 'waiting'
      if (isActive(delivery) || !wasActive) return false
      const slowAt = delivery.startedAt + SLOW_AFTER_MILLIS
      delivery.timer ??= timers.after(Math.max(0, slowAt - timers.monotonicNow()), () =>
        becomeSlow(delivery),
      )
      beginWhereFree()
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
      isStopping = true
      beginWhereFree()
    },
    /** Deliveries that wait for an answer. */
    waiting: (): number => countDeliveries(isWaiting),
  }
}

export const endpointOf = ({ merchantRef, payload }: Job): EndpointRef => ({
  merchantRef,
  kind: payload.kind === 'ipn' ? 'ipn' : 'event',
})
