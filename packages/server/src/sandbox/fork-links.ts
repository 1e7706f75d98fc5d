// Erasing a shopper's data leaves the forks of their order as they are. So the sandbox remembers
// each order's forks, and the erasure names them.
import type { Order } from '@plazo/core'
import type { Records, Unavailable } from '@plazo/core/ports'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { ForkLinks } from './fork-order.ts'

export const SINK_PATH = '/sandbox/sink'

/** Accepts what forks send that call no merchant. */
export const sinkUrl = (baseUrl: string): string => `${baseUrl}${SINK_PATH}`

/** What a caller learns about a new fork. `at`: the last event that was copied. */
export const forkedView = (original: Order, at: number, { placed, context }: Order) => ({
  order_ref: placed.orderRef,
  order_ref_1: context.references.first,
  forked_from: { order_ref: original.placed.orderRef, event: at },
})

const KIND = 'fork'

const keyOf = (orderRef: string, forkRef: string): string => `${orderRef}/${forkRef}`

// A link belongs to no order, so that it outlasts the erasure, which names the forks again if it is
// repeated.
export const forkLinks = (records: Pick<Records, 'put' | 'remove'>): ForkLinks => ({
  add: ({ placed: { orderRef, merchant, placedAt } }, forkRef) =>
    pipe(
      records.put({
        kind: KIND,
        key: keyOf(orderRef, forkRef),
        orderRef: null,
        merchantRef: merchant.ref,
        at: placedAt,
        value: null,
      }),
      TE.map(() => undefined),
    ),
  remove: ({ placed }, forkRef) => records.remove(KIND, keyOf(placed.orderRef, forkRef)),
})

/**
 * One sentence for each fork, whose data an erasure of the order leaves. After a crash there may be
 * one that was never stored.
 */
export const forksNotErased = (
  records: Pick<Records, 'list'>,
  orderRef: string,
): TE.TaskEither<Unavailable, readonly string[]> =>
  pipe(
    records.list({ kind: KIND, key: orderRef }),
    TE.map((links) =>
      links.map(({ key }) => {
        const fork = key?.split('/')[1] ?? ''
        return `Order ${fork} is a fork of it and still contains the data. Erase it too: plazo orders erase ${fork}`
      }),
    ),
  )
