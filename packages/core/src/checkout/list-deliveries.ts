// A merchant's deliveries a page at a time, from the newest back: what is made meanwhile moves no page. Contract §3.
// A page is read and shown in slices, because each delivery may carry up to 800 KiB of answers and a page 1,000 deliveries.
import * as E from 'fp-ts/lib/Either.js'
import * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Delivery, DeliveryFilter, DeliveryUnknown } from '../ports/deliveries.ts'
import type { Store } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'
import { deliveryView } from './show-delivery.ts'

/** A delivery as it is sent, and how many bytes of a body it takes. */
export type ShownDelivery<A> = { readonly shown: A; readonly bytes: number }

export type ShownPage<A> = {
  /** Newest last. */
  readonly deliveries: readonly A[]
  /** The id that the page of older ones is asked for with, as `before`; null where there are none. */
  readonly next: string | null
}

export type DeliveryPage = ShownPage<Delivery>

/** Bytes of JSON on one page. A single delivery that is larger is a page of its own. */
export const PAGE_BYTES_MAX = 2 * 1024 * 1024

/** What is read from the store at a time: so many deliveries, or fewer whose answers take so many bytes. */
export const SLICE_DELIVERIES = 16
export const SLICE_ANSWER_BYTES = 256 * 1024

export type ShownDeliveriesParts<A> = Pick<Store, 'deliveries'> & {
  readonly show: (delivery: Delivery) => T.Task<ShownDelivery<A>>
  /** Runs between two slices, so that a host can serve others meanwhile. */
  readonly pause: T.Task<void>
}

type Failure = DeliveryUnknown | Unavailable

/** `DeliveryUnknown` where `before` is no delivery of the merchant's. */
export const shownDeliveries =
  <A>({ deliveries, show, pause }: ShownDeliveriesParts<A>) =>
  (filter: DeliveryFilter): TE.TaskEither<Failure, ShownPage<A>> =>
  async () => {
    const newestFirst: A[] = []
    let { before } = filter
    let bytes = '[]'.length
    const page = (next: string | null): ShownPage<A> => ({ deliveries: newestFirst.reverse(), next })
    for (;;) {
      // One more than fits, which tells whether there are older ones.
      const limit = Math.min(SLICE_DELIVERIES, filter.limit - newestFirst.length + 1)
      const slice = await deliveries.list({ ...filter, before, limit, answerBytes: SLICE_ANSWER_BYTES })()
      if (E.isLeft(slice)) return slice
      if (slice.right.length === 0) return E.right(page(null))
      for (const delivery of slice.right.toReversed()) {
        // A full page is not made longer by one that is shown and then does not fit.
        if (newestFirst.length === filter.limit || bytes >= PAGE_BYTES_MAX) return E.right(page(before))
        const { shown, bytes: own } = await show(delivery)()
        if (newestFirst.length > 0 && bytes + ','.length + own > PAGE_BYTES_MAX) return E.right(page(before))
        newestFirst.push(shown)
        bytes += own + ','.length
        before = delivery.id
      }
      await pause()
    }
  }

const utf8 = new TextEncoder()

const asItIs = (delivery: Delivery): T.Task<ShownDelivery<Delivery>> =>
  T.fromIO(() => ({ shown: delivery, bytes: utf8.encode(JSON.stringify(deliveryView(delivery))).length }))

/** The same, of deliveries as the store has them. */
export const listDeliveries = (
  store: Pick<Store, 'deliveries'>,
): ((filter: DeliveryFilter) => TE.TaskEither<Failure, DeliveryPage>) =>
  shownDeliveries({ deliveries: store.deliveries, show: asItIs, pause: T.of(undefined) })
