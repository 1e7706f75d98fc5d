// Lists a merchant's deliveries a page at a time, from the newest back. New deliveries do not shift
// the pages. Contract §3. A delivery may carry 800 KiB of answers, so a page has only the beginning of
// each last one.
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Attempt, truncateResponse } from '../../delivery/attempt.ts'
import type { Delivery, DeliveryFilter, DeliveryNotFound } from '../../ports/deliveries.ts'
import type { FullStore } from '../../ports/store.ts'
import type { Unavailable } from '../../ports/store-errors.ts'
import {
  type AttemptView,
  type DeliveryView,
  type ExampleView,
  PAGE_LIMIT_MAX,
} from '../../protocol/order-view.ts'
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

/** A page of deliveries. Contract §3, Deliveries. */
export type DeliveryPage = {
  /** Newest last. */
  readonly deliveries: readonly Delivery[]
  /** The `before` of the page of older deliveries; null if there are none. */
  readonly next: string | null
}

/** The maximum size of a page in bytes of JSON. A single larger delivery is a page of its own. */
export const PAGE_BYTES_MAX = 2 * 1024 * 1024

const LISTED_RESPONSE_BYTES_MAX = 4 * 1024

type Failure = DeliveryNotFound | Unavailable

const utf8 = new TextEncoder()

const bytesOnPage = (delivery: Delivery): number =>
  utf8.encode(JSON.stringify(deliveryView(delivery))).length + ','.length

const withShortResponse = (delivery: Delivery): Delivery => ({
  ...delivery,
  attempts: delivery.attempts.map((attempt, n, { length }) => ({
    ...attempt,
    response:
      n === length - 1 ? truncateResponse(attempt.response, LISTED_RESPONSE_BYTES_MAX) : null,
  })),
})

/**
 * Lists the newest deliveries, up to `limit`, 100 or 2 MiB. Only the last attempt of each has its
 * response, and at most 4 KiB of it; `deliveries.find` of the store has all. `DeliveryNotFound` if
 * `before` is not a delivery of the merchant.
 *
 * @example
 * ```ts
 * const newest = { merchantRef: 'shop', orderRef: null, state: null, before: null, limit: 100 }
 * const page = await listDeliveries(host.store)(newest)()
 * if (page._tag === 'Right') console.log(page.right.deliveries.length, page.right.next)
 * ```
 */
export const listDeliveries =
  ({ deliveries }: Pick<FullStore, 'deliveries'>) =>
  (filter: DeliveryFilter): TE.TaskEither<Failure, DeliveryPage> => {
    const limit = Math.min(filter.limit, PAGE_LIMIT_MAX)
    return pipe(
      // One more than fits, to know whether there are older ones.
      deliveries.list({ ...filter, limit: limit + 1, responses: 1 }),
      TE.map((listed) => {
        const page: Delivery[] = []
        let bytes = '['.length
        for (const delivery of listed.map(withShortResponse).reverse()) {
          bytes += bytesOnPage(delivery)
          if (page.length === limit || (page.length > 0 && bytes > PAGE_BYTES_MAX)) break
          page.unshift(delivery)
        }
        return {
          deliveries: page,
          next: page.length < listed.length ? (page[0]?.id ?? null) : null,
        }
      }),
    )
  }

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
  ({ merchantRef, since, limit = 200, onProgress }: Recovery): TE.TaskEither<Unavailable, number> =>
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
  (merchantRef: string, since: number): TE.TaskEither<Failure, RecoveryPreview> =>
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
