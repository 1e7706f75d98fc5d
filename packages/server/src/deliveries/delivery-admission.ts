// Decides which deliveries a node may begin, so that endpoints that hang cannot take it away from the others.
//
// A delivery in flight holds a socket. The first half of a node's sockets is for every merchant, within its share. The
// other half is for merchants whose last attempts were good: however many hang, fail, or are new and unknown, these find
// sockets free. Contract §6, Fairness.
import type { Timers } from '@plazo/adapters/system'
import { type AttemptActivity, type Entry, type MerchantShares, type Result, workClass } from '@plazo/core'
import { type DeliveryClass, learnedShares, type ReducedMerchant, SLOW_AFTER } from './merchant-shares.ts'

type DeliveryLimits = {
  /** Deliveries in flight on this node, those included that only wait for an answer; 4,000 unless given. */
  readonly sockets?: number
  /** Events, and IPNs, of one account in flight over all nodes. */
  readonly perMerchant: number
}

/** What a claim may ask for. */
type Admission = {
  readonly deliveries: number
  /** Absent: every merchant has the full share. */
  readonly shares?: MerchantShares
  /** Only good merchants are admitted: others may have something due. */
  readonly isReserved: boolean
}

type JudgedAttempt = {
  readonly onActivity: (activity: AttemptActivity) => void
  readonly ended: (result: Result) => void
}

type DeliveryAdmission = {
  /** `room`: slots that are free, or soon will be. `inFlight`: deliveries that are claimed and not answered. */
  readonly request: (room: number, inFlight: number) => Admission
  /** Learns from an attempt of a delivery, and passes its activity on. */
  readonly judge: (entry: Entry, note: (entry: Entry, activity: AttemptActivity) => void) => JudgedAttempt
  /** The process has no socket left: nothing is admitted for a second. */
  readonly pause: () => void
  readonly reduced: () => readonly ReducedMerchant[]
}

/** Real milliseconds. */
const PAUSE = 1_000

/** `onSlow` is called after each slow attempt, with all merchants that have a smaller share now. */
export const deliveryAdmission = (
  { sockets = 4_000, perMerchant }: DeliveryLimits,
  timers: Pick<Timers, 'monotonicNow' | 'after'>,
  onSlow: (reduced: readonly ReducedMerchant[], now: number) => void = () => {},
): DeliveryAdmission => {
  const learned = learnedShares(perMerchant, timers.monotonicNow)
  const forEveryone = Math.ceil(sockets / 2)
  let pausedUntil = Number.NEGATIVE_INFINITY

  return {
    request: (room, inFlight) => {
      if (timers.monotonicNow() < pausedUntil) return { deliveries: 0, isReserved: true }
      const free = Math.min(room, forEveryone - inFlight)
      if (free > 0) {
        const shares = learned.ofEveryone()
        const isCalm = shares.event.size === 0 && shares.ipn.size === 0
        return { deliveries: free, isReserved: false, ...(isCalm ? {} : { shares }) }
      }
      return {
        deliveries: Math.max(0, Math.min(room, sockets - inFlight)),
        isReserved: room > 0,
        shares: learned.ofGood(),
      }
    },
    judge: (entry, note) => {
      const { merchantRef } = entry
      const kind = workClass(entry.work.kind) as DeliveryClass
      const begunAt = timers.monotonicNow()
      let timer: ReturnType<Timers['after']> | null = null
      let isSlow = false
      const slow = (): void => {
        isSlow = true
        learned.bad(kind, merchantRef, 'slow')
        onSlow(learned.reduced(), timers.monotonicNow())
      }
      return {
        // Few attempts wait long enough to be told of: only these have a timer.
        onActivity: (activity) => {
          if (activity === 'waiting')
            timer ??= timers.after(Math.max(0, begunAt + SLOW_AFTER - timers.monotonicNow()), slow)
          note(entry, activity)
        },
        ended: ({ error, wasCalled = true }) => {
          timer?.cancel()
          if (isSlow || !wasCalled) return
          if (timers.monotonicNow() - begunAt >= SLOW_AFTER) slow()
          else if (error === null) learned.good(kind, merchantRef)
          else learned.bad(kind, merchantRef, 'failed')
        },
      }
    },
    pause: () => {
      pausedUntil = timers.monotonicNow() + PAUSE
    },
    reduced: learned.reduced,
  }
}
