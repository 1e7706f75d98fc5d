// Decides which deliveries a node may begin, so that endpoints that hang cannot take the whole node away from the others.
//
// A delivery in flight holds a socket. The first half of a node's sockets is for every merchant, within their share. The other
// half is for merchants whose last attempts were good. However many merchants hang, fail, or are new and unknown, the good ones
// find free sockets. Contract §6, Fairness.
import type { CancelableTimer, Timers } from '@plazo/adapters/system'
import { type EffectResult, type Job, type MerchantShares, queueNameOf } from '@plazo/core'
import { createMerchantShares, type DeliveryClass, type ReducedMerchant, SLOW_AFTER } from './merchant-shares.ts'

type DeliveryLimits = {
  /** Deliveries in flight on this node, including those that only wait for an answer; default 4,000. */
  readonly sockets?: number
  /** Events of one account in flight across all nodes. The same limit applies separately to its IPNs. */
  readonly perMerchant: number
}

/** The limits of the next claim. */
type Admission = {
  readonly deliveries: number
  /** Absent: every merchant has the full share. */
  readonly shares?: MerchantShares
  /** Only good merchants are admitted: others may have something due. */
  readonly isReserved: boolean
}

type DeliveryAdmission = {
  /** `capacity`: slots that are free or soon will be. `inFlight`: deliveries that are claimed but not answered yet. */
  readonly request: (capacity: number, inFlight: number) => Admission
  /** An attempt has begun to wait for its answer. `startedAt`: real milliseconds on the monotonic clock. */
  readonly noteWaiting: (job: Job, startedAt: number) => void
  /** Learns from an attempt of a delivery. */
  readonly noteResult: (job: Job, startedAt: number, result: EffectResult) => void
  /** The process has no socket left: nothing is admitted for a second. */
  readonly pause: () => void
  readonly reducedMerchants: () => readonly ReducedMerchant[]
}

type WaitingDelivery = { isSlow: boolean; readonly timer: CancelableTimer }

const kindOf = ({ payload }: Job): DeliveryClass => queueNameOf(payload.kind) as DeliveryClass

/** Real milliseconds. */
const PAUSE = 1_000

/** `onSlow` is called after each slow attempt, with all merchants that have a smaller share now. */
export const createDeliveryAdmission = (
  { sockets = 4_000, perMerchant }: DeliveryLimits,
  timers: Pick<Timers, 'monotonicNow' | 'after'>,
  onSlow: (reduced: readonly ReducedMerchant[], now: number) => void = () => {},
): DeliveryAdmission => {
  const merchantShares = createMerchantShares(perMerchant, timers.monotonicNow)
  const socketsForEveryone = Math.ceil(sockets / 2)
  let pausedUntil = Number.NEGATIVE_INFINITY
  // Few attempts wait long enough to be reported. Only these have a timer, by their tokens.
  const waiting = new Map<string, WaitingDelivery>()

  const recordSlow = (job: Job): void => {
    merchantShares.recordBad(kindOf(job), job.merchantRef, 'slow')
    onSlow(merchantShares.reducedMerchants(), timers.monotonicNow())
  }

  return {
    request: (capacity, inFlight) => {
      if (timers.monotonicNow() < pausedUntil) return { deliveries: 0, isReserved: true }
      const free = Math.min(capacity, socketsForEveryone - inFlight)
      if (free > 0) {
        const shares = merchantShares.sharesForEveryone()
        const hasFullShares = shares.event.size === 0 && shares.ipn.size === 0
        return { deliveries: free, isReserved: false, ...(hasFullShares ? {} : { shares }) }
      }
      return {
        deliveries: Math.max(0, Math.min(capacity, sockets - inFlight)),
        isReserved: capacity > 0,
        shares: merchantShares.sharesForGood(),
      }
    },
    noteWaiting: (job, startedAt) => {
      if (waiting.has(job.token)) return
      const attempt: WaitingDelivery = {
        isSlow: false,
        timer: timers.after(Math.max(0, startedAt + SLOW_AFTER - timers.monotonicNow()), () => {
          attempt.isSlow = true
          recordSlow(job)
        }),
      }
      waiting.set(job.token, attempt)
    },
    noteResult: (job, startedAt, { error, wasCalled = true }) => {
      const attempt = waiting.size === 0 ? undefined : waiting.get(job.token)
      if (attempt !== undefined) {
        waiting.delete(job.token)
        attempt.timer.cancel()
      }
      if (attempt?.isSlow || !wasCalled) return
      if (timers.monotonicNow() - startedAt >= SLOW_AFTER) recordSlow(job)
      else if (error === null) merchantShares.recordGood(kindOf(job), job.merchantRef)
      else merchantShares.recordBad(kindOf(job), job.merchantRef, 'failed')
    },
    pause: () => {
      pausedUntil = timers.monotonicNow() + PAUSE
    },
    reducedMerchants: merchantShares.reducedMerchants,
  }
}
