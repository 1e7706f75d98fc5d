// A store for hosts that keep an order as a value and run its jobs themselves: a workflow engine
// stores the value and the jobs together, and retries each job until it ends.

import type { Clock, Job, ShopperErasure, Store } from '@plazo/core/internal'
import type { Task } from 'fp-ts/lib/Task.js'
import type { Running } from '../store/queue.ts'
import { getRight } from '../store/tokens.ts'
import { mapRows } from './map-rows.ts'
import type { OrderRow } from './rows.ts'
import type { RowsCipher } from './rows-cipher.ts'
import { storeOver } from './store-over.ts'

/** JSON. Its orders, and the jobs that the host runs, are the host's to store, not to change. */
export type RowsValue = {
  readonly orders: readonly OrderRow[]
  readonly jobs: readonly Running[]
}

/** Of a host that has stored nothing yet. */
export const EMPTY_VALUE: RowsValue = { orders: [], jobs: [] }

/** What a use case did to an order that its host keeps as a value. */
export type InValue<A> = {
  readonly result: A
  /** Store it before you run the jobs. */
  readonly value: RowsValue
  /** All jobs that are due. Each is returned once. It is the host's until `completeJob`. */
  readonly jobs: readonly Job[]
  /** When the next job is due: call again then. Null: no job waits. */
  readonly next: number | null
}

// The host's own limits are the limits.
const REQUEST = {
  capacity: {
    deliveries: Number.POSITIVE_INFINITY,
    notGood: Number.POSITIVE_INFINITY,
    internal: Number.POSITIVE_INFINITY,
  },
  perAccount: null,
}

/** The clock by which jobs are due, and the cipher of the value. */
export type InValueOptions = {
  readonly clock: Clock
  /** Absent: the value has personal data in the clear. */
  readonly cipher?: RowsCipher | undefined
}

/**
 * Runs `act`, a use case for example, on a store in the value, then claims what is due. `value`:
 * `EMPTY_VALUE` at first. Rejects only if the value is damaged, or if its master key is missing.
 */
export const inValue = async <A>(
  value: RowsValue,
  act: (storage: { readonly store: Store; readonly erasure: ShopperErasure }) => Task<A>,
  { clock, cipher }: InValueOptions,
): Promise<InValue<A>> => {
  const orders = new Map(value.orders.map((row) => [row.ref, row]))
  const { store, erasure, running } = storeOver(mapRows(orders), cipher, value.jobs)
  const result = await act({ store, erasure })()
  const jobs = await getRight(store.claim(() => ({ ...REQUEST, at: clock.now() })))
  const next = await getRight(store.nextDueAt())
  return { result, value: { orders: [...orders.values()], jobs: running() }, jobs, next }
}
