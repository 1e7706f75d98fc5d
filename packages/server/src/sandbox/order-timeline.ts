// Reads everything of one order for its timeline: once for an answer, and repeatedly for a stream.
import type { SandboxMessage, SandboxRecord } from '@plazo/adapters/sandbox'
import {
  type FullHost,
  type Merchants,
  type Order,
  type OrderNotFound,
  orderView,
  type Timeline,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { LiveEvent } from '../live/event-stream.ts'
import { newestLines } from '../live/order-lines.ts'
import { timelineOf } from './timeline.ts'

export type TimelineParts = {
  readonly host: FullHost
  readonly merchants: Pick<Merchants, 'liveSecrets'>
  /** Without a wait for a message that is still being sent. */
  readonly messages: (orderRef: string) => TE.TaskEither<Unavailable, readonly SandboxMessage[]>
  /** The records of an order with a greater id than `after`, oldest first. */
  readonly records: (orderRef: string, after: number) => TE.TaskEither<Unavailable, readonly SandboxRecord[]>
}

export const readTimeline =
  ({ host, merchants, messages, records }: TimelineParts) =>
  (order: Order): TE.TaskEither<OrderNotFound | Unavailable, Timeline> => {
    const { store, clock } = host
    const { orderRef, merchant } = order.placed
    return pipe(
      newestLines(store)(orderRef, 0),
      TE.bindTo('newest'),
      TE.bindW('records', () => records(orderRef, 0)),
      TE.bindW('messages', () => messages(orderRef)),
      TE.bindW('jobs', () => store.inspection.pendingJobs(orderRef)),
      TE.bindW('secrets', () => merchants.liveSecrets(merchant.ref, clock.now())),
      TE.map(({ newest, ...parts }) =>
        timelineOf({ ...parts, now: clock.now(), order: orderView(order), lines: newest.lines }),
      ),
    )
  }

/**
 * Counts what an order's timeline has: a stream sends the count whenever it has grown, and the reader reads the timeline again.
 * The timeline itself could be larger than a stream may buffer.
 */
export const countTimeline = ({ host, messages, records }: TimelineParts, orderRef: string) => {
  let count = 0
  let lastRecord = 0
  let lastLine = 0
  let messageCount = 0

  return async (after: number): Promise<readonly LiveEvent[] | null> => {
    const [newest, fresh, all] = await Promise.all([
      newestLines(host.store)(orderRef, lastLine)(),
      records(orderRef, lastRecord)(),
      messages(orderRef)(),
    ])
    if (E.isLeft(newest) || E.isLeft(fresh) || E.isLeft(all)) return null
    lastLine = newest.right.lines.at(-1)?.seq ?? lastLine
    lastRecord = fresh.right.at(-1)?.id ?? lastRecord
    count += newest.right.lines.length + fresh.right.length + all.right.length - messageCount
    messageCount = all.right.length
    return count > after ? [{ id: count, type: 'timeline', data: { count } }] : []
  }
}
