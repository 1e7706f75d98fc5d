import type { Order } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { ORDER_REF } from '../../docs/openapi/examples.ts'
import {
  type Access,
  answer,
  EVENT_STREAM,
  jsonAnswer,
  jsonBodyOf,
  query,
  type Route,
  route,
} from '../../http/route.ts'
import { respondStream } from '../../http/stream.ts'
import type { LiveSource } from '../../live/event-stream.ts'
import { followLines, LinesView, linesView, withNewestLines } from '../../live/order-lines.ts'
import { accessInSandbox, SANDBOX } from '../access.ts'
import { SINK_PATH, sinkUrl } from '../fork-links.ts'
import { forkOrder } from '../fork-order.ts'
import { Forked, ForkPayload, Timeline } from '../protocol.ts'
import type { SandboxServices } from '../services.ts'
import { countTimeline, readTimeline } from './timeline.ts'

const ORDER = '/sandbox/orders/:uuid'
const DEMO_ORDER = '/sandbox/demo/orders/:uuid'

/**
 * What happened to an order and what will happen next, and copies of it up to one of its events.
 */
export const sandboxOrderRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, merchants, streams, byOwner, byStreamOwner, demoOrder, sandbox, setting } = services
  const { records, messages } = sandbox.watch
  const parts = { host, merchants, records, messages }
  const timeline = readTimeline(parts)
  const byDemo = accessInSandbox(demoOrder)

  /** `load` is also asked later, while the stream is open. */
  const follow = (
    call: `GET ${string}`,
    [id, summary]: readonly [id: string, summary: string],
    access: Access<Order>,
    description: string,
    readAfter: (order: Order) => LiveSource['readAfter'],
  ): Route =>
    route(call, id, summary, {
      access,
      description,
      parameters: { after: query('The id of the last event that the reader has.') },
      ok: answer('Server-sent events, until the reader leaves.', EVENT_STREAM),
      problems: {
        400: 'after is not the number of an event.',
        429: 'The account follows too many orders at once.',
      },
      handle: (order, _, c) =>
        respondStream(c, streams, order.placed.merchant.account, {
          readAfter: readAfter(order),
          mayRead: async () => E.isRight(await access.load(c)()),
        }),
    })

  const timelineRoutes = (path: string, access: Access<Order>, of: string, whose: string) => [
    route(`GET ${path}/timeline`, `show${of}Timeline`, `Get the timeline of an order${whose}`, {
      access,
      description:
        'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
      ok: jsonAnswer('Everything so far.', Timeline),
      handle: timeline,
    }),
    follow(
      `GET ${path}/timeline/events`,
      [`follow${of}Timeline`, `Follow the timeline of an order${whose}`],
      access,
      'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.',
      ({ placed }) => countTimeline(parts, placed.orderRef),
    ),
  ]

  const fork = forkOrder(host, sinkUrl(setting.baseUrl), sandbox.forks)
  const forkRoute = (path: string, access: Access<Order>, id: string, summary: string): Route =>
    route(`POST ${path}/forks`, id, summary, {
      access,
      description:
        'Copies the order up to one of its events into a new order, which continues from there. The fork calls no merchant unless deliver is true.',
      body: jsonBodyOf(ForkPayload, {
        'at its first event': { at: 1 },
        'that calls the merchant': { at: 1, deliver: true },
      }),
      status: 201,
      ok: jsonAnswer('Forked.', Forked, {
        forked: {
          order_ref: 'a3c2f5b0-53a5-4c11-9f0e-6a1d2b7c9e44',
          order_ref_1: 'A-1001-fork-a3c2f5b0',
          forked_from: { order_ref: ORDER_REF, event: 1 },
        },
      }),
      problems: {
        409: 'The order has no such event, its shopper was erased, or its journal is no longer complete.',
      },
      handle: (original, { at, apply, deliver }) =>
        pipe(
          fork(original, { at, apply: apply ?? [], delivers: deliver ?? false }),
          TE.map(({ placed, context }) => ({
            order_ref: placed.orderRef,
            order_ref_1: context.references.first,
            forked_from: { order_ref: original.placed.orderRef, event: at },
          })),
        ),
    })

  return [
    ...timelineRoutes(ORDER, byStreamOwner, '', ''),
    ...timelineRoutes(DEMO_ORDER, byDemo, 'Demo', ' of demo'),
    route(`GET ${DEMO_ORDER}/history`, 'showDemoHistory', 'Get the history of an order of demo', {
      access: byDemo,
      ok: jsonAnswer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        LinesView,
      ),
      handle: (order) => pipe(withNewestLines(host.store)(order), TE.map(linesView)),
    }),
    follow(
      `GET ${DEMO_ORDER}/history/events`,
      ['followDemoHistory', 'Follow the history of an order of demo'],
      byDemo,
      'An event named line for each line of the history. Its id is the number of the line.',
      followLines(host.store),
    ),
    forkRoute(ORDER, byOwner, 'forkOrder', 'Fork an order'),
    forkRoute(DEMO_ORDER, byDemo, 'forkDemoOrder', 'Fork an order of the demo merchant'),
    route(`POST ${SINK_PATH}`, 'sink', 'Receive the requests of a fork that calls no merchant', {
      access: SANDBOX,
      description:
        'Accepts every IPN and every event of up to 64 KiB, and agrees to every cancellation.',
      ok: jsonAnswer('Accepted.', t.partial({ result: t.string }), {
        cancelled: { result: 'cancelled' },
      }),
      handle: async (_access, _body, c) =>
        new URLSearchParams(await c.req.text()).get('event') === 'cancel'
          ? { result: 'cancelled' }
          : {},
    }),
  ]
}
