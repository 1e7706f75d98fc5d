// Each test of the store contract gets a fresh store, and a shop that creates orders on it.
import type { Store } from '@plazo/core'
import type { StoreShop } from './shop.ts'

export type OpenedStore = {
  readonly store: Store
  /** Moves the real time by which leases are measured. Without it, the tests that need it do not run. */
  readonly advanceRealTime?: (millis: number) => void
  readonly close: () => Promise<void>
}

/** The input of each test of the store contract. */
export type OpenedShop = Omit<OpenedStore, 'close'> & { readonly shop: StoreShop }
