// A merchant's deliveries a page at a time, from the newest back: what is made meanwhile moves no page. Contract §3.
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Delivery, DeliveryFilter, DeliveryUnknown } from '../ports/deliveries.ts'
import type { Store } from '../ports/store.ts'
import type { Unavailable } from '../ports/unavailable.ts'

export type DeliveryPage = {
  /** Newest last. */
  readonly deliveries: readonly Delivery[]
  /** The id that the page of older ones is asked for with, as `before`; null where there are none. */
  readonly next: string | null
}

/** `DeliveryUnknown` where `before` is no delivery of the merchant's. */
export const listDeliveries =
  ({ deliveries }: Pick<Store, 'deliveries'>) =>
  (filter: DeliveryFilter): TE.TaskEither<DeliveryUnknown | Unavailable, DeliveryPage> =>
    pipe(
      deliveries.list({ ...filter, limit: filter.limit + 1 }),
      TE.map((listed) => {
        const page = listed.slice(-filter.limit)
        return { deliveries: page, next: listed.length > page.length ? (page[0]?.id ?? null) : null }
      }),
    )
