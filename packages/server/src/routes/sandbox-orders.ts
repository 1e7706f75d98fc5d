// Shows developers what happened to an order in the sandbox and what will happen next, and copies an order up to one of its
// events. The demo merchant's orders are open, because everybody knows its password. An order of another merchant requires that
// merchant's credentials. Contract §8, Timeline and Forks.
import { Forked, ForkPayload, forkOrder, type Order } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { decodeJson, limitBody } from '../http/request.ts'
import { type LiveSource, respondStream } from '../live/event-stream.ts'
import { followLines, linesView, withNewestLines } from '../live/order-lines.ts'
import { SINK_PATH, sinkUrl } from '../sandbox/fork-links.ts'
import { countTimeline, readTimeline } from '../sandbox/timeline.ts'
import type { SandboxServices } from './services.ts'

export const sandboxOrderRoutes = (services: SandboxServices) => {
  const { host, merchants, baseUrl, streams, ownOrder, streamOrder, demoOrder, sandbox, respond } = services
  const { records, messages } = sandbox.watch
  const parts = { host, merchants, records, messages }
  const timeline = readTimeline(parts)
  const lineEvents = followLines(host.store)

  const showTimeline = (findOrder: OrderAccess) => (c: Context) => pipe(findOrder(c), TE.chainW(timeline), respond(c))

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
  const fork = forkOrder(host, sinkUrl(baseUrl), sandbox.forks)

  const forkFrom =
    (findOrder: OrderAccess) =>
    (c: Context): Promise<Response> =>
      pipe(
        findOrder(c),
        TE.bindTo('original'),
        TE.bindW('request', () => decodeJson(c, ForkPayload)),
        TE.bindW('forked', ({ original, request: { at, apply, deliver } }) =>
          fork(original, { at, apply: apply ?? [], delivers: deliver ?? false }),
        ),
        respond(c, ({ original, request, forked: { placed, context } }) =>
          c.json(
            Forked.encode({
              order_ref: placed.orderRef,
              order_ref_1: context.references.first,
              forked_from: { order_ref: original.placed.orderRef, event: request.at },
            }),
            201,
          ),
        ),
      )

  return new Hono()
    .get('/sandbox/orders/:uuid/timeline', showTimeline(streamOrder))
    .get('/sandbox/orders/:uuid/timeline/events', follow(streamOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/timeline', showTimeline(demoOrder))
    .get('/sandbox/demo/orders/:uuid/timeline/events', follow(demoOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/history', (c) =>
      pipe(demoOrder(c), TE.chainW(withNewestLines(host.store)), TE.map(linesView), respond(c)),
    )
    .get('/sandbox/demo/orders/:uuid/history/events', follow(demoOrder, lineEvents))
    .post('/sandbox/orders/:uuid/forks', limitBody(), forkFrom(ownOrder))
    .post('/sandbox/demo/orders/:uuid/forks', limitBody(), forkFrom(demoOrder))
    .post(SINK_PATH, limitBody(), async (c) =>
      c.json(new URLSearchParams(await c.req.text()).get('event') === 'cancel' ? { result: 'cancelled' } : {}),
    )
}
