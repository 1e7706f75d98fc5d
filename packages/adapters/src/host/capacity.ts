// Decides what may start on this node, so that endpoints that hang cannot take the node away from the
// others. It knows nothing of stores and HTTP.
//
// A delivery is active while it prepares, sends or reads. While it waits for the answer, it costs a
// socket and a timer, and others go on. A merchant that is not good has one place of its own for an
// event and one for an IPN. No such place is taken while they fill half of the node's sockets, or half
// of its active deliveries while a good merchant has something due. Contract §6, Fairness.
import {
  type AttemptActivity,
  type ClaimRequest,
  type EndpointRef,
  type Job,
  queueNameOf,
  SLOW_AFTER_MILLIS,
} from '@plazo/core/internal'
import type { Timers } from '../system/clock-and-ids.ts'

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
type FreePlaces = Pick<ClaimRequest, 'capacity' | 'perAccount' | 'slow'>

type CapacityParts = {
  readonly limits: CapacityLimits
  readonly timers: Pick<Timers, 'after'>
  /**
   * Called when a claim may find more: a delivery has left its active place, an attempt has waited
   * for three seconds, or a pause is over.
   */
  readonly onFree: () => void
}

/** A delivery in flight. */
type Delivery = {
  isActive: boolean
  isGood: boolean
  isSlow: boolean
}

const isDelivery = ({ payload }: Job): boolean => queueNameOf(payload.kind) !== 'work'

/** How long nothing is delivered if the system refused a socket. Real milliseconds. */
const NO_SOCKET_PAUSE = 1_000

const atLeastNone = (...bounds: readonly number[]): number => Math.max(0, Math.min(...bounds))

export const createCapacity = ({ limits, timers, onFree }: CapacityParts) => {
  const { sockets = 4_000 } = limits
  const deliveries = new Map<string, Delivery>()
  let internal = 0
  /** Endpoints that became slow since the last claim. */
  let slow: readonly EndpointRef[] = []
  let pauses = 0
  // A claim with room for good merchants has shown that none of them has anything due.
  let isNoGoodDue = false
  let isUnlimited = false

  const count = (isCounted: (delivery: Delivery) => boolean): number => {
    let counted = 0
    for (const delivery of deliveries.values()) if (isCounted(delivery)) counted += 1
    return counted
  }

  const freeDeliveries = (): number =>
    atLeastNone(
      pauses > 0 ? 0 : sockets - deliveries.size,
      limits.deliveries - count(({ isActive }) => isActive),
    )

  /** `share`: the part of the active deliveries that merchants that are not good may fill. */
  const freeNotGood = (share: number): number =>
    atLeastNone(
      freeDeliveries(),
      Math.ceil(sockets / 2) - count(({ isGood }) => !isGood),
      Math.ceil(limits.deliveries * share) - count(({ isGood, isActive }) => !isGood && isActive),
    )

  const runDelivery = async <A>(job: Job, work: () => Promise<A>): Promise<A> => {
    const delivery = { isActive: true, isGood: job.isGood !== false, isSlow: false }
    deliveries.set(job.token, delivery)
    // Bytes that arrive later, one by one, are not worth a place.
    const timer = timers.after(SLOW_AFTER_MILLIS, () => {
      Object.assign(delivery, { isActive: false, isGood: false, isSlow: true })
      slow = [...slow, endpointOf(job)]
      onFree()
    })
    try {
      return await work()
    } finally {
      deliveries.delete(job.token)
      timer.cancel()
    }
  }

  return {
    /** What a claim may ask for now. */
    free: (): FreePlaces => {
      const free = freeDeliveries()
      return {
        capacity: {
          deliveries: free,
          notGood: isUnlimited ? free : freeNotGood(isNoGoodDue ? 1 : 1 / 2),
          internal: atLeastNone(limits.internal - internal),
        },
        perAccount: isUnlimited ? null : limits.perAccount,
        slow,
      }
    },
    /**
     * A claim was answered. If no good merchant had anything due, the others may fill all active
     * places, so that another claim may find more at once.
     */
    noteClaim: ({ capacity, slow: told = [] }: FreePlaces, jobs: readonly Job[]): void => {
      slow = slow.filter((endpoint) => !told.includes(endpoint))
      const claimed = jobs.filter(isDelivery)
      isNoGoodDue =
        !isNoGoodDue &&
        claimed.every(({ isGood }) => isGood === false) &&
        claimed.length >= capacity.notGood &&
        freeNotGood(1) > capacity.notGood
      if (isNoGoodDue) onFree()
    },
    /** Does the job's work in a place, which it keeps meanwhile. */
    run: async <A>(job: Job, work: () => Promise<A>): Promise<A> => {
      if (isDelivery(job)) return runDelivery(job, work)
      internal += 1
      try {
        return await work()
      } finally {
        internal -= 1
      }
    },
    /**
     * A delivery, given by its job's token, waits for the other side and leaves its active place, or
     * goes on and takes one again, even over the limit, unless it is slow.
     */
    noteActivity: (token: string, activity: AttemptActivity): void => {
      const delivery = deliveries.get(token)
      if (delivery === undefined || delivery.isSlow) return
      delivery.isActive = activity === 'active'
      if (!delivery.isActive) onFree()
    },
    /** The system refused a socket: no delivery starts for a second. */
    pause: (): void => {
      pauses += 1
      timers.after(NO_SOCKET_PAUSE, () => {
        pauses -= 1
        onFree()
      })
    },
    isPaused: (): boolean => pauses > 0,
    /** True: until told otherwise, an account or a merchant may have all places. */
    setUnlimited: (unlimited: boolean): void => {
      isUnlimited = unlimited
    },
    /** Deliveries that wait for an answer. */
    waiting: (): number => count(({ isActive }) => !isActive),
  }
}

const endpointOf = ({ merchantRef, payload }: Job): EndpointRef => ({
  merchantRef,
  kind: payload.kind === 'ipn' ? 'ipn' : 'event',
})
