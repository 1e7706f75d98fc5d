// Shows developers what happened to an order in the sandbox, and what will happen next. The demo merchant's orders are open, because
// everybody knows its password; an order of another merchant requires that merchant's credentials. Contract §8, Timeline.
import { type Order, orderView } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { type LiveSource, respondStream } from '../live/event-stream.ts'
import { newestLines, nextLines } from '../live/order-lines.ts'
import { countTimeline, readTimeline } from '../sandbox/order-timeline.ts'
import type { SandboxServices } from './services.ts'

export const timelineRoutes = ({
  host,
  merchants,
  streams,
  streamOrder,
  demoOrder,
  sandbox,
  respond,
}: SandboxServices) => {
  const { records, messages } = sandbox.watch
  const parts = { host, merchants, records, messages }
  const timeline = readTimeline(parts)
  const readLines = newestLines(host.store)
  const readNext = nextLines(host.store)

  const showTimeline = (findOrder: OrderAccess) => (c: Context) =>
    pipe(
      findOrder(c),
      TE.chainW(timeline),
      respond(c, (view) => c.json(view)),
    )

  const follow = (findOrder: OrderAccess, readAfter: (order: Order) => LiveSource['readAfter']) => (c: Context) =>
    pipe(
      findOrder(c),
      respond(c, (order) =>
        respondStream(c, streams, order.placed.merchant.account, {
          readAfter: readAfter(order),
          mayRead: async () => E.isRight(await findOrder(c)()),
        }),
      ),
    )

  const timelineEvents = ({ placed }: Order) => countTimeline(parts, placed.orderRef)

  const lineEvents =
    ({ placed }: Order) =>
    async (after: number) => {
      const next = await readNext(placed.orderRef, after)()
      return E.isLeft(next) ? null : next.right.map((data) => ({ id: data.seq, type: 'line', data }))
    }

  return new Hono()
    .get('/sandbox/orders/:uuid/timeline', showTimeline(streamOrder))
    .get('/sandbox/orders/:uuid/timeline/events', follow(streamOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/timeline', showTimeline(demoOrder))
    .get('/sandbox/demo/orders/:uuid/timeline/events', follow(demoOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/history', (c) =>
      pipe(
        demoOrder(c),
        TE.bindTo('order'),
        TE.bindW('newest', ({ order }) => readLines(order.placed.orderRef, 0)),
        respond(c, ({ order, newest }) =>
          c.json({ order: orderView(order), history: newest.lines, is_cut: newest.isCut }),
        ),
      ),
    )
    .get('/sandbox/demo/orders/:uuid/history/events', follow(demoOrder, lineEvents))
}
