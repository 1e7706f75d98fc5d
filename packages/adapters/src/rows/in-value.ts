// A store for hosts that keep an order as a value and run its jobs themselves: a workflow engine
// stores the value and the jobs together, and retries each job until it ends.
import {
  type Clock,
  type Job,
  type ShopperErasure,
  type Store,
  type Unavailable,
  UnavailableError,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { Task } from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type EncryptedOrder, encryptedStoreOver } from './encrypted-store.ts'
import { erasureOver } from './erasure.ts'
import type { OrderKeys } from './rows.ts'
import type { RowsCipher } from './rows-cipher.ts'
import { storeOver } from './store-over.ts'
import { type RowsValue, valueRows } from './value-rows.ts'

/** What a use case did to an order that its host keeps as a value. */
export type InValue<A> = {
  readonly result: A
  /** Store it before you run the jobs. */
  readonly value: RowsValue<OrderKeys>
  /** All jobs that are due. Each is returned once. It is the host's until `completeJob`. */
  readonly jobs: readonly Job[]
  /** When the next job is due: call again then. Null: no job waits. */
  readonly next: number | null
}

// The host's own calls are the lease, and its own limits are the limits.
const REQUEST = {
  lease: Number.MAX_SAFE_INTEGER,
  capacity: {
    deliveries: Number.POSITIVE_INFINITY,
    notGood: Number.POSITIVE_INFINITY,
    internal: Number.POSITIVE_INFINITY,
  },
  perAccount: null,
}

const getRight = async <A>(task: TaskEither<Unavailable, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new UnavailableError(result.left)
  return result.right
}

const openPlain = (host: { value: RowsValue }) => {
  const rows = valueRows(host)
  return { store: storeOver(rows, () => 0), erasure: erasureOver(rows) }
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
  value: InValue<A>['value'],
  act: (storage: { readonly store: Store; readonly erasure: ShopperErasure }) => Task<A>,
  { clock, cipher }: InValueOptions,
): Promise<InValue<A>> => {
  const host = { value }
  // An earlier call has returned the value, with the same cipher or with none.
  const { store, erasure } =
    cipher === undefined
      ? openPlain(host as { value: RowsValue })
      : encryptedStoreOver(valueRows(host as { value: RowsValue<EncryptedOrder> }), () => 0, cipher)
  const result = await act({ store, erasure })()
  const jobs = await getRight(store.claim(() => ({ ...REQUEST, at: clock.now() })))
  const next = await getRight(store.nextDueAt())
  return { result, value: host.value, jobs, next }
}
