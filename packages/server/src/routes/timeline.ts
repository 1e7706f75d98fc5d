// Shows developers what happened to an order in the sandbox, and what will happen next. The demo merchant's orders are open, because
// everybody knows its password; an order of another merchant requires that merchant's credentials. Contract §8, Timeline.
import type { Order } from '@plazo/core'
import { orderView } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import type { EventStreams } from '../live/event-stream.ts'
import { newestLines, nextLines } from '../live/order-lines.ts'
import { respondStream } from '../live/respond-stream.ts'
import { countTimeline, readTimeline, type TimelineParts } from '../sandbox/order-timeline.ts'
import { type AnswerError, respond } from './answers.ts'

type TimelineRoutesParts = TimelineParts & {
  readonly streams: EventStreams
  /** An order of the calling account. Must not limit the account's reads. */
  readonly ownOrder: OrderAccess
  /** An order of the demo merchant. */
  readonly demoOrder: OrderAccess
}

export const timelineRoutes = (parts: TimelineRoutesParts, answerError: AnswerError) => {
  const { host, streams, ownOrder, demoOrder } = parts
  const timeline = readTimeline(parts)
  const readLines = newestLines(host.store)
  const readNext = nextLines(host.store)

  const showTimeline = (find: OrderAccess) => (c: Context) =>
    respond(c, answerError, pipe(find(c), TE.chainW(timeline)), (view) => c.json(view))

  const follow =
    (find: OrderAccess, readAfter: (order: Order) => Parameters<EventStreams['open']>[1]['readAfter']) =>
    (c: Context) =>
      respond(c, answerError, find(c), (order) =>
        respondStream(c, streams, order.placed.merchant.account, {
          readAfter: readAfter(order),
          mayRead: async () => E.isRight(await find(c)()),
        }),
      )

  const timelineEvents = ({ placed }: Order) => countTimeline(parts, placed.orderRef)

  const lineEvents =
    ({ placed }: Order) =>
    async (after: number) => {
      const next = await readNext(placed.orderRef, after)()
      return E.isLeft(next) ? null : next.right.map((data) => ({ id: data.seq, type: 'line', data }))
    }

  return new Hono()
    .get('/sandbox/orders/:uuid/timeline', showTimeline(ownOrder))
    .get('/sandbox/orders/:uuid/timeline/events', follow(ownOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/timeline', showTimeline(demoOrder))
    .get('/sandbox/demo/orders/:uuid/timeline/events', follow(demoOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/history', (c) =>
      respond(
        c,
        answerError,
        pipe(
          demoOrder(c),
          TE.bindTo('order'),
          TE.bindW('newest', ({ order }) => readLines(order.placed.orderRef, 0)),
        ),
        ({ order, newest }) => c.json({ order: orderView(order), history: newest.lines, is_cut: newest.isCut }),
      ),
    )
    .get('/sandbox/demo/orders/:uuid/history/events', follow(demoOrder, lineEvents))
}
