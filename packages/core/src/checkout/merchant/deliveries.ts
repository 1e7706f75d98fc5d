// Lists a merchant's deliveries a page at a time, from the newest back. New deliveries do not shift
// the pages. Contract §3. Pages are read and shown in slices, because a delivery may carry up to
// 800 KiB of answers and a page has up to 1,000.

import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as T from 'fp-ts/lib/Task.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Attempt } from '../../delivery/attempt.ts'
import type { Delivery, DeliveryFilter, DeliveryNotFound } from '../../ports/deliveries.ts'
import type { FullStore } from '../../ports/store.ts'
import type { Unavailable } from '../../ports/unavailable.ts'
import type { AttemptView, DeliveryView, ExampleView } from '../../protocol/order-view.ts'
import { instantText } from '../../protocol/scalars.ts'
import type { Host } from '../host.ts'
import type { Example } from './send-example.ts'

const attemptView = (attempt: Attempt): AttemptView => ({
  n: attempt.n,
  trigger: attempt.trigger,
  started_at: instantText(attempt.startedAt),
  duration_ms: attempt.durationMillis,
  outcome: attempt.outcome,
  status: attempt.status,
  error: attempt.error,
  error_reason: attempt.errorReason ?? null,
  response: attempt.response,
})

/**
 * Converts deliveries to the form that merchants and operators see. Contract §3, Deliveries.
 *
 * @example
 * ```ts
 * const delivery = await host.store.deliveries.find('shop', id)()
 * if (delivery._tag === 'Right') console.log(deliveryView(delivery.right).attempts.length)
 * ```
 */
export const deliveryView = ({
  id,
  event,
  orderRef,
  state,
  dueAt,
  attempts,
}: Delivery): DeliveryView => ({
  id,
  event,
  order_ref: orderRef,
  state,
  due_at: dueAt === null ? null : instantText(dueAt),
  attempts: attempts.map(attemptView),
})

/**
 * An example and its result in the form of the Order API. Contract §3, Deliveries.
 *
 * @example
 * ```ts
 * const example = await sendExample(sender)('shop', 'denied', 'https://shop.example/events')()
 * if (example._tag === 'Right') console.log(exampleView(example.right).outcome) // accepted
 * ```
 */
export const exampleView = ({ id, payload, outcome, report }: Example): ExampleView => ({
  id,
  event: payload.kind === 'event' ? payload.event : 'ipn',
  url: payload.url,
  body: payload.body,
  outcome,
  status: report.status,
  error: report.error,
  error_reason: report.errorReason ?? null,
  response: report.response,
  duration_ms: report.durationMillis,
})

/** A delivery in the form that is sent, and its size in bytes of the response body. */
export type EncodedDelivery<A> = { readonly encoded: A; readonly bytes: number }

/** A page of deliveries in a form that the caller has chosen. Contract §3, Deliveries. */
export type EncodedPage<A> = {
  /** Newest last. */
  readonly deliveries: readonly A[]
  /** The `before` of the page of older deliveries; null if there are none. */
  readonly next: string | null
}

/** A page of deliveries as the store has them. */
export type DeliveryPage = EncodedPage<Delivery>

/** The maximum size of a page in bytes of JSON. A single larger delivery is a page of its own. */
export const PAGE_BYTES_MAX = 2 * 1024 * 1024

/**
 * The limits of one read from the store: the number of deliveries, and the bytes of their answers.
 */
export const SLICE_DELIVERIES = 16
export const SLICE_ANSWER_BYTES = 256 * 1024

/** How a host encodes each delivery, and what it does between two slices. */
export type EncodedDeliveriesOptions<A> = Pick<FullStore, 'deliveries'> & {
  readonly encode: (delivery: Delivery) => T.Task<EncodedDelivery<A>>
  /** Runs between two slices, so that a host can serve other requests meanwhile. */
  readonly pause: T.Task<void>
}

type Failure = DeliveryNotFound | Unavailable

/**
 * Lists deliveries as the host encodes them, slice by slice, until `limit` or 2 MiB are reached.
 * `DeliveryNotFound` if `before` is not a delivery of the merchant.
 *
 * @example
 * ```ts
 * const encode = (delivery: Delivery) => async () => {
 *   const encoded = JSON.stringify(deliveryView(delivery))
 *   return { encoded, bytes: Buffer.byteLength(encoded) }
 * }
 * const { deliveries } = host.store
 * const list = listEncodedDeliveries({ deliveries, encode, pause: async () => {} })
 * const page = await list({ ...filter, limit: 100 })()
 * if (page._tag === 'Right') console.log(page.right.deliveries, page.right.next)
 * ```
 */
export const listEncodedDeliveries =
  <A>({ deliveries, encode, pause }: EncodedDeliveriesOptions<A>) =>
  (filter: DeliveryFilter): TaskEither<Failure, EncodedPage<A>> =>
  async () => {
    const newestFirst: A[] = []
    let { before } = filter
    let bytes = '[]'.length
    const page = (next: string | null): EncodedPage<A> => ({
      deliveries: newestFirst.reverse(),
      next,
    })
    for (;;) {
      // Reads one more than fits, to know whether there are older ones.
      const limit = Math.min(SLICE_DELIVERIES, filter.limit - newestFirst.length + 1)
      const slice = await deliveries.list({
        ...filter,
        before,
        limit,
        answerBytes: SLICE_ANSWER_BYTES,
      })()
      if (E.isLeft(slice)) return slice
      if (slice.right.length === 0) return E.right(page(null))
      for (const delivery of slice.right.toReversed()) {
        // A full page is not made longer by one that is shown and then does not fit.
        if (newestFirst.length === filter.limit || bytes >= PAGE_BYTES_MAX)
          return E.right(page(before))
        const { encoded, bytes: deliveryBytes } = await encode(delivery)()
        if (newestFirst.length > 0 && bytes + ','.length + deliveryBytes > PAGE_BYTES_MAX)
          return E.right(page(before))
        newestFirst.push(encoded)
        bytes += deliveryBytes + ','.length
        before = delivery.id
      }
      await pause()
    }
  }

const utf8 = new TextEncoder()

const measureDelivery = (delivery: Delivery): T.Task<EncodedDelivery<Delivery>> =>
  T.fromIO(() => ({
    encoded: delivery,
    bytes: utf8.encode(JSON.stringify(deliveryView(delivery))).length,
  }))

/**
 * Lists deliveries as the store returns them; `listEncodedDeliveries` encodes them for the wire.
 *
 * @example
 * ```ts
 * const newest = { merchantRef: 'shop', orderRef: null, state: null, before: null, limit: 100 }
 * const page = await listDeliveries(host.store)(newest)()
 * if (page._tag === 'Right') console.log(page.right.deliveries.map(deliveryView), page.right.next)
 * ```
 */
export const listDeliveries = (
  store: Pick<FullStore, 'deliveries'>,
): ((filter: DeliveryFilter) => TaskEither<Failure, DeliveryPage>) =>
  listEncodedDeliveries({
    deliveries: store.deliveries,
    encode: measureDelivery,
    pause: T.of(undefined),
  })

/** Whose deliveries are sent again, and since when. */
export type Recovery = {
  readonly merchantRef: string
  /** Epoch milliseconds, domain time. */
  readonly since: number
  /** How many deliveries one transaction examines; by default 200. */
  readonly limit?: number
  /**
   * Called after every page with the number so far. The next page starts when its promise resolves.
   */
  readonly onProgress?: (count: number) => Promise<void>
}

/**
 * Resends all deliveries that a merchant has not accepted since an instant. Works page by page, so
 * that no transaction keeps others waiting for long. Returns the number of deliveries that are
 * resent.
 *
 * @example
 * ```ts
 * const since = host.clock.now() - 3_600_000 // the shop was down for an hour
 * const resent = await recoverDeliveries(host)({ merchantRef: 'shop', since })()
 * if (resent._tag === 'Right') console.log(`${resent.right} deliveries are sent again`)
 * ```
 */
export const recoverDeliveries =
  ({ store, clock }: Pick<Host, 'clock'> & { readonly store: Pick<FullStore, 'deliveries'> }) =>
  ({ merchantRef, since, limit = 200, onProgress }: Recovery): TaskEither<Unavailable, number> =>
  async () => {
    const at = clock.now()
    let count = 0
    for (let after: number | null = 0; after !== null; ) {
      const page: E.Either<Unavailable, { readonly count: number; readonly next: number | null }> =
        await store.deliveries.recover({ merchantRef, since, at, after, limit })()
      if (E.isLeft(page)) return page
      count += page.right.count
      after = page.right.next
      await onProgress?.(count)
    }
    return E.right(count)
  }

const PREVIEWED_MAX = 100

/** What a recovery would send, before it is started. */
export type RecoveryPreview = {
  /** The number of deliveries; at least so many if it is not exact. */
  readonly count: number
  readonly isExact: boolean
  /** Their orders, each once. */
  readonly orderRefs: readonly string[]
}

/**
 * What `recoverDeliveries` would send. Reads up to 100 deliveries of each state.
 *
 * @example
 * ```ts
 * const preview = await previewRecovery(host.store)('shop', since)()
 * if (preview._tag === 'Right') console.log(preview.right.count, preview.right.orderRefs)
 * ```
 */
export const previewRecovery =
  ({ deliveries }: Pick<FullStore, 'deliveries'>) =>
  (merchantRef: string, since: number): TaskEither<Failure, RecoveryPreview> =>
    pipe(
      ['pending', 'exhausted'] as const,
      TE.traverseArray((state) =>
        deliveries.list({ merchantRef, orderRef: null, state, before: null, limit: PREVIEWED_MAX }),
      ),
      TE.map((lists) => {
        const matching = lists
          .flat()
          .filter(({ attempts }) => (attempts.at(-1)?.startedAt ?? 0) >= since)
        return {
          count: matching.length,
          isExact: lists.every((each) => each.length < PREVIEWED_MAX),
          orderRefs: [...new Set(matching.map(({ orderRef }) => orderRef))],
        }
      }),
    )
