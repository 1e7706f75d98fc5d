// Remembers which merchants were slow or failed lately on this node, for metrics and alerts. It
// decides nothing: claims know what the database says.
import type { EffectResult } from '@plazo/core'
import type { EndpointRef } from '@plazo/core/ports'

/** A merchant whose last attempt of this kind was slow or failed. */
export type SlowMerchant = EndpointRef & {
  /**
   * Since when its attempts have been slow, in real milliseconds on a monotonic clock; null: the
   * last one failed in time.
   */
  readonly slowSince: number | null
}

export const createSlowMerchants = (monotonicNow: () => number) => {
  const byEndpoint = new Map<string, SlowMerchant>()
  const keyOf = ({ kind, merchantRef }: EndpointRef): string => `${kind} ${merchantRef}`

  return {
    noteSlow: (endpoint: EndpointRef): void => {
      const slowSince = byEndpoint.get(keyOf(endpoint))?.slowSince ?? monotonicNow()
      byEndpoint.set(keyOf(endpoint), { ...endpoint, slowSince })
    },
    /** The result of an attempt that was not slow. */
    noteResult: (
      endpoint: EndpointRef,
      { error, wasCalled = true }: Pick<EffectResult, 'error' | 'wasCalled'>,
    ): void => {
      if (!wasCalled) return
      if (error === null) byEndpoint.delete(keyOf(endpoint))
      else byEndpoint.set(keyOf(endpoint), { ...endpoint, slowSince: null })
    },
    list: (): readonly SlowMerchant[] => [...byEndpoint.values()],
  }
}
