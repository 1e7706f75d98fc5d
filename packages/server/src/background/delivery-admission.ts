// Decides which deliveries a node may begin, so that endpoints that hang cannot take the whole node
// away from the others.
//
// A delivery in flight holds a socket. The first half of a node's sockets is for every merchant,
// within their share. The other half is for merchants whose last attempts were good. However many
// merchants hang, fail, or are new and unknown, the good ones find free sockets. Contract §6,
// Fairness.
import type { CancelableTimer, Timers } from '@plazo/adapters/system'
import type { EffectResult } from '@plazo/core'
import { type Job, type MerchantShares, type QueueName, queueNameOf } from '@plazo/core/ports'

export type DeliveryLimits = {
  /**
   * Deliveries in flight on this node, including those that only wait for an answer; default 4,000.
   */
  readonly sockets?: number
  /**
   * Events of one account in flight across all nodes. The same limit applies separately to its
   * IPNs.
   */
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

export type DeliveryClass = Exclude<QueueName, 'work'>

/** A merchant that is not good. */
export type ReducedMerchant = {
  readonly kind: DeliveryClass
  readonly merchantRef: string
  /**
   * Since when its attempts have been slow, in real milliseconds on a monotonic clock; null: the
   * last one failed in time.
   */
  readonly slowSince: number | null
}

type WaitingDelivery = { isSlow: boolean; readonly timer: CancelableTimer }

const kindOf = ({ payload }: Job): DeliveryClass => queueNameOf(payload.kind) as DeliveryClass

/** Milliseconds without a complete answer after which an attempt counts as slow. */
const SLOW_AFTER = 3_000

/**
 * Merchants remembered per class. Beyond it, the merchant whose share changed longest ago counts as
 * new.
 */
const REMEMBERED_MAX = 20_000

/** `isGood`: recent good attempts have brought the merchant to the full share. */
type LearnedShare = {
  readonly share: number
  readonly isGood: boolean
  readonly slowSince: number | null
}

/** Real milliseconds. */
const PAUSE = 1_000

/** `onSlow` is called after each slow attempt, with all merchants that have a smaller share now. */
export const createDeliveryAdmission = (
  { sockets = 4_000, perMerchant }: DeliveryLimits,
  timers: Pick<Timers, 'monotonicNow' | 'after'>,
  onSlow: (reduced: readonly ReducedMerchant[], now: number) => void = () => {},
) => {
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
    /**
     * `capacity`: slots that are free or soon will be. `inFlight`: deliveries that are claimed but
     * not answered yet.
     */
    request: (capacity: number, inFlight: number): Admission => {
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
    /**
     * An attempt has begun to wait for its answer. `startedAt`: real milliseconds on the monotonic
     * clock.
     */
    noteWaiting: (job: Job, startedAt: number): void => {
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
    /** Learns from an attempt of a delivery. */
    noteResult: (job: Job, startedAt: number, { error, wasCalled = true }: EffectResult): void => {
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
    /** The process has no socket left: nothing is admitted for a second. */
    pause: (): void => {
      pausedUntil = timers.monotonicNow() + PAUSE
    },
    reducedMerchants: merchantShares.reducedMerchants,
  }
}

/**
 * Learns from recent attempts how many deliveries each merchant may have in flight. The rule is
 * TCP's: an attempt that is slow or fails halves the share, a good one adds one. Events and IPNs
 * are learned separately, since they go to different endpoints.
 */
export const createMerchantShares = (perMerchant: number, monotonicNow: () => number) => {
  const sharesByMerchant: { readonly [kind in DeliveryClass]: Map<string, LearnedShare> } = {
    event: new Map(),
    ipn: new Map(),
  }
  // Claims come far more often than a share changes, and stores encode each map once.
  let everyoneCache: MerchantShares | null = null
  let goodCache: MerchantShares | null = null

  const setShare = (kind: DeliveryClass, merchantRef: string, next: LearnedShare): void => {
    const all = sharesByMerchant[kind]
    const before = all.get(merchantRef)
    all.delete(merchantRef)
    all.set(merchantRef, next)
    const [oldest] = all.keys()
    if (all.size > REMEMBERED_MAX && oldest !== undefined) all.delete(oldest)
    if (before?.share === next.share && before.isGood === next.isGood) return
    if (next.isGood !== (before?.isGood ?? true) || !next.isGood) everyoneCache = null
    if (next.isGood || before?.isGood) goodCache = null
  }

  const listShares = (kind: DeliveryClass, isGood: boolean): ReadonlyMap<string, number> =>
    new Map(
      [...sharesByMerchant[kind]].flatMap(([merchantRef, each]) =>
        each.isGood === isGood ? [[merchantRef, each.share] as const] : [],
      ),
    )

  return {
    /** An attempt succeeded in time. */
    recordGood: (kind: DeliveryClass, merchantRef: string): void => {
      const before = sharesByMerchant[kind].get(merchantRef)
      // Nearly every attempt ends here: there is nothing to learn.
      if (before?.isGood) return
      const share = before === undefined ? perMerchant : Math.min(perMerchant, before.share + 1)
      const isGood = share === perMerchant
      setShare(kind, merchantRef, { share, isGood, slowSince: null })
    },
    /** An attempt failed, or is not answered after `SLOW_AFTER` milliseconds. */
    recordBad: (kind: DeliveryClass, merchantRef: string, why: 'slow' | 'failed'): void => {
      const before = sharesByMerchant[kind].get(merchantRef)
      const share = Math.max(1, Math.floor((before?.share ?? perMerchant) / 2))
      const slowSince = why === 'slow' ? (before?.slowSince ?? monotonicNow()) : null
      setShare(kind, merchantRef, { share, isGood: false, slowSince })
    },
    /**
     * For a claim of anything due: every merchant has the full share, except those that are not
     * good.
     */
    sharesForEveryone: (): MerchantShares =>
      (everyoneCache ??= {
        others: perMerchant,
        event: listShares('event', false),
        ipn: listShares('ipn', false),
      }),
    /** For a claim of what good merchants have due: the others get nothing. */
    sharesForGood: (): MerchantShares =>
      (goodCache ??= { others: 0, event: listShares('event', true), ipn: listShares('ipn', true) }),
    reducedMerchants: (): readonly ReducedMerchant[] =>
      (['event', 'ipn'] as const).flatMap((kind) =>
        [...sharesByMerchant[kind]].flatMap(([merchantRef, { isGood, slowSince }]) =>
          isGood ? [] : { kind, merchantRef, slowSince },
        ),
      ),
  }
}
