// Learns from recent attempts how many deliveries each merchant may have in flight. Without it, a few hundred endpoints that
// hang would hold every socket of a node, and the other merchants would wait.
//
// The rule is TCP's: an attempt that is slow or fails halves the share, a good one adds one. Events and IPNs are learned
// separately, since they go to different endpoints. Contract §6, Fairness.
import type { MerchantShares, QueueName } from '@plazo/core'

export type DeliveryClass = Exclude<QueueName, 'work'>

type LearnedMerchantShares = {
  /** An attempt succeeded in time. */
  readonly recordGood: (kind: DeliveryClass, merchantRef: string) => void
  /** An attempt failed, or is not answered after `SLOW_AFTER` milliseconds. */
  readonly recordBad: (kind: DeliveryClass, merchantRef: string, why: 'slow' | 'failed') => void
  /** For a claim of anything due: every merchant has the full share, except those that are not good. */
  readonly sharesForEveryone: () => MerchantShares
  /** For a claim of what good merchants have due: the others get nothing. */
  readonly sharesForGood: () => MerchantShares
  /**
   * Merchants that are not good, each with the time since when their attempts have been slow; null: the last one failed in
   * time.
   */
  readonly reducedMerchants: () => readonly ReducedMerchant[]
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
const REMEMBERED_MAX = 20_000

/** `isGood`: recent good attempts have brought the merchant to the full share. */
type LearnedShare = { readonly share: number; readonly isGood: boolean; readonly slowSince: number | null }

export const createMerchantShares = (perMerchant: number, monotonicNow: () => number): LearnedMerchantShares => {
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
    recordGood: (kind, merchantRef) => {
      const before = sharesByMerchant[kind].get(merchantRef)
      // Nearly every attempt ends here: there is nothing to learn.
      if (before?.isGood) return
      const share = before === undefined ? perMerchant : Math.min(perMerchant, before.share + 1)
      const isGood = share === perMerchant
      setShare(kind, merchantRef, { share, isGood, slowSince: null })
    },
    recordBad: (kind, merchantRef, why) => {
      const before = sharesByMerchant[kind].get(merchantRef)
      const share = Math.max(1, Math.floor((before?.share ?? perMerchant) / 2))
      const slowSince = why === 'slow' ? (before?.slowSince ?? monotonicNow()) : null
      setShare(kind, merchantRef, { share, isGood: false, slowSince })
    },
    sharesForEveryone: () =>
      (everyoneCache ??= { others: perMerchant, event: listShares('event', false), ipn: listShares('ipn', false) }),
    sharesForGood: () => (goodCache ??= { others: 0, event: listShares('event', true), ipn: listShares('ipn', true) }),
    reducedMerchants: () =>
      (['event', 'ipn'] as const).flatMap((kind) =>
        [...sharesByMerchant[kind]].flatMap(([merchantRef, { isGood, slowSince }]) =>
          isGood ? [] : { kind, merchantRef, slowSince },
        ),
      ),
  }
}
