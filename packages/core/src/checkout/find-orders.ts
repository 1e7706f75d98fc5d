// An operator looks for orders: the newest of a kind, or the one that a reference names.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Order } from '../order/order.ts'
import { nameOnWire, type OrderState, REGIONS, restingStates, stateOnWire } from '../order/order-state.ts'
import type { Merchant, Merchants } from '../ports/merchants.ts'
import type { OrderUnknown, Store } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'

/** What is null is anything. `since`: placed then or later, domain time. */
export type WantedOrders = {
  readonly merchantRef: string | null
  /** Of any region, by its name on the wire. */
  readonly state: string | null
  readonly since: number | null
  readonly limit: number
}

/** Every state of any region by its name on the wire. Contract §3, States. */
export const STATES_ON_WIRE: readonly string[] = [
  ...new Set(
    REGIONS.flatMap((region) =>
      restingStates(region).map((name) => nameOnWire(region, { [region]: name } as unknown as OrderState)),
    ),
  ),
]

// A page is read and decrypted in one go, at some 20 µs an order. Others are served between two pages.
const ORDERS_AT_A_TIME = 50

/** What runs between two pages. */
type Paused = { readonly pause?: T.Task<void> }

const isWanted =
  ({ merchantRef, state, since }: WantedOrders) =>
  ({ placed, state: own }: Order): boolean =>
    (merchantRef === null || placed.merchant.ref === merchantRef) &&
    (since === null || placed.placedAt >= since) &&
    (state === null || Object.values(stateOnWire(own)).some((name) => name === state))

/** The last placed first, page after page, while `seen` says that more is wanted. */
const lookBack = async (
  { orders, pause = T.of(undefined) }: Pick<Store, 'orders'> & Paused,
  seen: (page: readonly Order[]) => boolean,
): Promise<E.Either<Unavailable, void>> => {
  for (let after: number | null = null; ; ) {
    const page = await orders.newest(after, ORDERS_AT_A_TIME)()
    if (E.isLeft(page)) return page
    if (!seen(page.right.orders) || page.right.next === null) return E.right(undefined)
    after = page.right.next
    await pause()
  }
}

/** The last placed first. */
export const listOrders =
  (store: Pick<Store, 'orders'>) =>
  (wanted: WantedOrders): TE.TaskEither<Unavailable, readonly Order[]> =>
  async () => {
    const found: Order[] = []
    const looked = await lookBack(store, (page) => {
      found.push(...page.filter(isWanted(wanted)))
      const oldest = page.at(-1)?.placed.placedAt ?? 0
      const isPast = wanted.since !== null && oldest < wanted.since
      return found.length < wanted.limit && !isPast
    })
    return pipe(
      looked,
      E.map(() => found.slice(0, wanted.limit)),
    )
  }

// A reference that no order holds is written in the orders alone, sealed: so many of them are opened for it, in some tenths of a
// second, a page at a time.
const LOOKED_THROUGH = 10_000

const amongTheLast =
  (store: Pick<Store, 'orders'> & Paused, reference: string): TE.TaskEither<Unavailable, readonly Order[]> =>
  async () => {
    const found: Order[] = []
    let count = 0
    const looked = await lookBack(store, (page) => {
      found.push(...page.filter(({ context }) => context.references.first === reference))
      count += page.length
      return count < LOOKED_THROUGH
    })
    return pipe(
      looked,
      E.map(() => found),
    )
  }

const orNone = (
  found: TE.TaskEither<OrderUnknown | Unavailable, Order>,
): TE.TaskEither<Unavailable, readonly Order[]> =>
  pipe(
    found,
    TE.map((order): readonly Order[] => [order]),
    TE.orElse((error) => (error._tag === 'OrderUnknown' ? TE.right([]) : TE.left(error))),
  )

// So many merchants are asked for at a time.
const MERCHANTS_AT_A_TIME = 50

const heldAtAny =
  (
    store: Pick<Store, 'findHolder'>,
    merchants: readonly Merchant[],
    reference: string,
    pause: T.Task<void> = T.of(undefined),
  ): TE.TaskEither<Unavailable, readonly Order[]> =>
  async () => {
    const held: Order[] = []
    for (let at = 0; at < merchants.length; at += MERCHANTS_AT_A_TIME) {
      if (at > 0) await pause()
      const some = merchants.slice(at, at + MERCHANTS_AT_A_TIME)
      const found = await TE.traverseArray(({ ref }: Merchant) => orNone(store.findHolder(ref, reference)))(some)()
      if (E.isLeft(found)) return found
      held.push(...found.right.flat())
    }
    return E.right(held)
  }

type Found = TE.TaskEither<Unavailable, readonly Order[]>

const orElseBy =
  (next: () => Found) =>
  (found: Found): Found =>
    pipe(
      found,
      TE.chain((orders) => (orders.length > 0 ? TE.right(orders) : next())),
    )

/**
 * By `order_ref`; else by the `order_ref_1` that an order holds at any merchant, as two may hold the same at theirs; else by
 * the `order_ref_1` that was given for any of the last 10,000 placed, the last first.
 */
export const findOrders =
  ({ store, merchants, ...paused }: { readonly store: Store; readonly merchants: Merchants } & Paused) =>
  (reference: string): Found =>
    reference === ''
      ? TE.right([])
      : pipe(
          orNone(store.read(reference.toLowerCase())),
          orElseBy(() =>
            pipe(
              merchants.list(),
              TE.chain((all) => heldAtAny(store, all, reference, paused.pause)),
            ),
          ),
          orElseBy(() => amongTheLast({ orders: store.orders, ...paused }, reference)),
        )
