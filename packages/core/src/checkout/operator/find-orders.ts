// Operators find orders here: the newest ones that match a filter, or those with a given reference.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { nameOnWire, restingStates, stateOnWire } from '../../order/machine/order-machine.ts'
import { type Order, type OrderState, REGIONS } from '../../order/order.ts'
import type { Merchant, Merchants } from '../../ports/merchants.ts'
import type { OrderNotFound } from '../../ports/order-store.ts'
import type { FullStore } from '../../ports/store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'

/**
 * A null field matches everything. `since`: placed at or after this instant; domain time, epoch
 * milliseconds.
 */
export type OrderFilter = {
  readonly merchantRef: string | null
  /** A state of any region, by its name on the wire. */
  readonly state: string | null
  readonly since: number | null
  readonly limit: number
}

/** Every state of any region by its name on the wire. Contract §3, States. */
export const STATES_ON_WIRE: readonly string[] = [
  ...new Set(
    REGIONS.flatMap((region) =>
      restingStates(region).map((name) =>
        nameOnWire(region, { [region]: name } as unknown as OrderState),
      ),
    ),
  ),
]

type OrderSearch = TE.TaskEither<Unavailable, readonly Order[]>

const NO_PAUSE: T.Task<void> = T.of(undefined)

// A page is read and decrypted without interruption, at about 20 µs per order. The host serves
// other requests between pages.
const ORDERS_AT_A_TIME = 50

/**
 * The matching orders, the most recently placed first. Reads page by page, until there are no more
 * or `isEnough` says so. `count`: how many orders were read.
 */
const scanNewestFirst =
  (
    { orders }: Pick<FullStore, 'orders'>,
    pause: T.Task<void>,
    matches: (order: Order) => boolean,
    isEnough: (matching: readonly Order[], page: readonly Order[], count: number) => boolean,
  ): OrderSearch =>
  async () => {
    const matching: Order[] = []
    let count = 0
    for (let after: number | null = null; ; ) {
      const page = await orders.newest(after, ORDERS_AT_A_TIME)()
      if (E.isLeft(page)) return page
      matching.push(...page.right.orders.filter(matches))
      count += page.right.orders.length
      if (page.right.next === null || isEnough(matching, page.right.orders, count))
        return E.right(matching)
      after = page.right.next
      await pause()
    }
  }

/** The matching orders, the most recently placed first; at most `limit`. */
export const listOrders =
  (store: Pick<FullStore, 'orders'>) =>
  ({ merchantRef, state, since, limit }: OrderFilter): OrderSearch => {
    const matches = ({ placed, state: orderState }: Order): boolean =>
      (merchantRef === null || placed.merchant.ref === merchantRef) &&
      (since === null || placed.placedAt >= since) &&
      (state === null || Object.values(stateOnWire(orderState)).some((name) => name === state))
    const isPast = (page: readonly Order[]) =>
      since !== null && (page.at(-1)?.placed.placedAt ?? 0) < since
    return pipe(
      scanNewestFirst(
        store,
        NO_PAUSE,
        matches,
        (orders, page) => orders.length >= limit || isPast(page),
      ),
      TE.map((orders) => orders.slice(0, limit)),
    )
  }

const emptyIfNotFound = (
  orderTask: TE.TaskEither<OrderNotFound | Unavailable, Order>,
): OrderSearch =>
  pipe(
    orderTask,
    TE.map((order): readonly Order[] => [order]),
    TE.orElse((error) => (error._tag === 'OrderNotFound' ? TE.right([]) : TE.left(error))),
  )

// The number of merchants whose references are looked up at the same time.
const MERCHANTS_AT_A_TIME = 50

const findAtMerchants =
  (store: Pick<FullStore, 'findByReference'>, pause: T.Task<void>, reference: string) =>
  (merchants: readonly Merchant[]): OrderSearch =>
  async () => {
    const matches: Order[] = []
    for (let at = 0; at < merchants.length; at += MERCHANTS_AT_A_TIME) {
      if (at > 0) await pause()
      const orders = await TE.traverseArray(({ ref }: Merchant) =>
        emptyIfNotFound(store.findByReference(ref, reference)),
      )(merchants.slice(at, at + MERCHANTS_AT_A_TIME))()
      if (E.isLeft(orders)) return orders
      matches.push(...orders.right.flat())
    }
    return E.right(matches)
  }

// A reference that no order holds is stored only inside the encrypted orders. The search decrypts
// this many of them, page by page, in a few tenths of a second.
const SCAN_LIMIT = 10_000

type OrderFinder = {
  readonly store: FullStore
  readonly merchants: Merchants
  readonly pause?: T.Task<void>
}

/**
 * Searches by `order_ref` first. Otherwise by the `order_ref_1` that an order holds; orders of
 * several merchants may hold the same one. Otherwise by the `order_ref_1` given for any of the last
 * 10,000 orders, the most recently placed first. `pause` runs between two pages.
 */
export const findOrders =
  ({ store, merchants, pause = NO_PAUSE }: OrderFinder) =>
  (reference: string): OrderSearch =>
  async () => {
    if (reference === '') return E.right([])
    const isGiven = ({ context }: Order): boolean => context.references.first === reference
    const searches = [
      emptyIfNotFound(store.read(reference.toLowerCase())),
      TE.chain(findAtMerchants(store, pause, reference))(merchants.list()),
      scanNewestFirst(store, pause, isGiven, (_orders, _page, count) => count >= SCAN_LIMIT),
    ]
    for (const search of searches) {
      const orders = await search()
      if (E.isLeft(orders) || orders.right.length > 0) return orders
    }
    return E.right([])
  }
