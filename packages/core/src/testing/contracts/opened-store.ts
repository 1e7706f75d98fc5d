// A store under test, opened anew for each test, with the shop that the parts of the store's contract work in.
import type { Store } from '@plazo/core'
import type { Shop } from './shop.ts'

export type OpenedStore = {
  readonly store: Store
  /** Moves the real time that leases are measured by; a store without it is not asked about leases that run. */
  readonly advanceRealTime?: (millis: number) => void
  readonly close: () => Promise<void>
}

/** What a part of the contract asks for in each of its tests. */
export type OpenedShop = Omit<OpenedStore, 'close'> & { readonly shop: Shop }
