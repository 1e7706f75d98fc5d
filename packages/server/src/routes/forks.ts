// Copies an order up to one of its events into a new order, and accepts what muted forks send. Contract §8, Forks.
import { Forked, type ForkLinks, ForkPayload, type FullHost, forkOrder } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import type { OrderAccess } from '../http/access.ts'
import { SINK_PATH, sinkUrl } from '../http/links.ts'
import { BODY_KIB_MAX, decode, jsonBody, limitBody } from '../http/request.ts'
import { type AnswerError, respond } from './answers.ts'

type ForkParts = {
  readonly host: FullHost
  readonly links: ForkLinks
  readonly baseUrl: string
  readonly ownOrder: OrderAccess
  /** Any order of the merchant `demo`, without credentials. */
  readonly demoOrder: OrderAccess
}

export const forkRoutes = ({ host, links, baseUrl, ownOrder, demoOrder }: ForkParts, answerError: AnswerError) => {
  const fork = forkOrder(host, sinkUrl(baseUrl), links)

  const forkFrom =
    (findOrder: OrderAccess) =>
    (c: Context): Promise<Response> =>
      respond(
        c,
        answerError,
        pipe(
          findOrder(c),
          TE.bindTo('original'),
          TE.bindW('body', () => jsonBody(c)),
          TE.bindW('request', ({ body }) => TE.fromEither(decode(ForkPayload, body))),
          TE.chainW(({ original, request: { at, apply, deliver } }) =>
            pipe(
              fork(original, { at, apply: apply ?? [], delivers: deliver ?? false }),
              TE.map(({ placed, context }) => ({
                order_ref: placed.orderRef,
                order_ref_1: context.references.first,
                forked_from: { order_ref: original.placed.orderRef, event: at },
              })),
            ),
          ),
        ),
        (forked) => c.json(Forked.encode(forked), 201),
      )

  return new Hono()
    .post('/sandbox/orders/:uuid/forks', limitBody(BODY_KIB_MAX), forkFrom(ownOrder))
    .post('/sandbox/demo/orders/:uuid/forks', limitBody(BODY_KIB_MAX), forkFrom(demoOrder))
    .post(SINK_PATH, limitBody(BODY_KIB_MAX), async (c) =>
      c.json(new URLSearchParams(await c.req.text()).get('event') === 'cancel' ? { result: 'cancelled' } : {}),
    )
}
