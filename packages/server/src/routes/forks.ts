// Copies an order up to one of its events into a new order, and accepts what muted forks send. Contract §8, Forks.
import { Forked, ForkPayload, forkOrder } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { decodeJson, limitBody } from '../http/request.ts'
import { SINK_PATH, sinkUrl } from '../sandbox/fork-links.ts'
import type { SandboxServices } from './services.ts'

export const forkRoutes = ({ host, sandbox, baseUrl, ownOrder, demoOrder, respond }: SandboxServices) => {
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
    .post('/sandbox/orders/:uuid/forks', limitBody(), forkFrom(ownOrder))
    .post('/sandbox/demo/orders/:uuid/forks', limitBody(), forkFrom(demoOrder))
    .post(SINK_PATH, limitBody(), async (c) =>
      c.json(new URLSearchParams(await c.req.text()).get('event') === 'cancel' ? { result: 'cancelled' } : {}),
    )
}
