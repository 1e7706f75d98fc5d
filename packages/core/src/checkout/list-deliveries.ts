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

// What merchants answered may be long, and a page of it more than a server has room for.
const AT_A_TIME = 16
const ANSWERS_MAX = 2 * 1024 * 1024

const answersIn = (deliveries: readonly Delivery[]): number =>
  deliveries.reduce(
    (sum, { attempts }) => attempts.reduce((own, { response }) => own + (response?.length ?? 0), sum),
    0,
  )

/**
 * `DeliveryUnknown` where `before` is no delivery of the merchant's. A page ends before its limit where the answers kept with
 * its deliveries come to some megabytes.
 */
export const listDeliveries =
  ({ deliveries }: Pick<Store, 'deliveries'>) =>
  (filter: DeliveryFilter): TE.TaskEither<DeliveryUnknown | Unavailable, DeliveryPage> => {
    const goOn = (
      newer: readonly Delivery[],
      answers: number,
    ): TE.TaskEither<DeliveryUnknown | Unavailable, DeliveryPage> => {
      const limit = Math.min(AT_A_TIME, filter.limit - newer.length)
      return pipe(
        deliveries.list({ ...filter, before: newer[0]?.id ?? filter.before, limit: limit + 1 }),
        TE.chain((listed) => {
          const read = listed.slice(-limit)
          const page = [...read, ...newer]
          const sum = answers + answersIn(read)
          const isLast = listed.length === read.length
          return isLast || page.length >= filter.limit || sum >= ANSWERS_MAX
            ? TE.right({ deliveries: page, next: isLast ? null : (page[0]?.id ?? null) })
            : goOn(page, sum)
        }),
      )
    }
    return goOn([], 0)
  }
