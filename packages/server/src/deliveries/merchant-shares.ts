// Learns from recent attempts how many deliveries each merchant may have in flight. Without it, a few hundred endpoints that
// hang would hold every socket of a node, and the other merchants would wait.
//
// The rule is TCP's: an attempt that is slow or fails halves the share, a good one adds one. Events and IPNs are learned
// separately, since they go to different endpoints. Contract §6, Fairness.
import type { MerchantShares, QueueName } from '@plazo/core'

export type DeliveryClass = Exclude<QueueName, 'work'>

type LearnedShares = {
  /** An attempt succeeded in time. */
  readonly good: (kind: DeliveryClass, merchantRef: string) => void
  /** An attempt failed, or is not answered after `SLOW_AFTER` milliseconds. */
  readonly bad: (kind: DeliveryClass, merchantRef: string, why: 'slow' | 'failed') => void
  /** For a claim of anything due: every merchant has the full share, except those that are not good. */
  readonly ofEveryone: () => MerchantShares
  /** For a claim of what good merchants have due: the others get nothing. */
  readonly ofGood: () => MerchantShares
  /**
   * Merchants that are not good, each with the time since when their attempts have been slow; null: the last one failed in
   * time.
   */
  readonly reduced: () => readonly ReducedMerchant[]
}

export type ReducedMerchant = {
  readonly kind: DeliveryClass
  readonly merchantRef: string
  /** Real milliseconds on a monotonic clock. */
  readonly slowSince: number | null
}

/** Milliseconds without a complete answer after which an attempt counts as slow. */
export const SLOW_AFTER = 3_000

/** Merchants remembered per class. Beyond it, the merchant whose share changed longest ago counts as new. */
const REMEMBERED = 20_000

/** `isGood`: recent good attempts have brought the merchant to the full share. */
type Learned = { readonly share: number; readonly isGood: boolean; readonly slowSince: number | null }

export const learnedShares = (perMerchant: number, monotonicNow: () => number): LearnedShares => {
  const learned: { readonly [kind in DeliveryClass]: Map<string, Learned> } = { event: new Map(), ipn: new Map() }
  // Claims come far more often than a share changes, and stores encode each map once.
  let everyone: MerchantShares | null = null
  let good: MerchantShares | null = null

  const set = (kind: DeliveryClass, merchantRef: string, next: Learned): void => {
    const all = learned[kind]
    const before = all.get(merchantRef)
    all.delete(merchantRef)
    all.set(merchantRef, next)
    const [oldest] = all.keys()
    if (all.size > REMEMBERED && oldest !== undefined) all.delete(oldest)
    if (before?.share === next.share && before.isGood === next.isGood) return
    if (next.isGood !== (before?.isGood ?? true) || !next.isGood) everyone = null
    if (next.isGood || before?.isGood) good = null
  }

  const listed = (kind: DeliveryClass, isGood: boolean): ReadonlyMap<string, number> =>
    new Map(
      [...learned[kind]].flatMap(([merchantRef, each]) =>
        each.isGood === isGood ? [[merchantRef, each.share] as const] : [],
      ),
    )

  return {
    good: (kind, merchantRef) => {
      const before = learned[kind].get(merchantRef)
      // Nearly every attempt ends here: there is nothing to learn.
      if (before?.isGood) return
      const share = before === undefined ? perMerchant : Math.min(perMerchant, before.share + 1)
      const isGood = share === perMerchant
      set(kind, merchantRef, { share, isGood, slowSince: null })
    },
    bad: (kind, merchantRef, why) => {
      const before = learned[kind].get(merchantRef)
      const share = Math.max(1, Math.floor((before?.share ?? perMerchant) / 2))
      const slowSince = why === 'slow' ? (before?.slowSince ?? monotonicNow()) : null
      set(kind, merchantRef, { share, isGood: false, slowSince })
    },
    ofEveryone: () => (everyone ??= { others: perMerchant, event: listed('event', false), ipn: listed('ipn', false) }),
    ofGood: () => (good ??= { others: 0, event: listed('event', true), ipn: listed('ipn', true) }),
    reduced: () =>
      (['event', 'ipn'] as const).flatMap((kind) =>
        [...learned[kind]].flatMap(([merchantRef, { isGood, slowSince }]) =>
          isGood ? [] : { kind, merchantRef, slowSince },
        ),
      ),
  }
}
