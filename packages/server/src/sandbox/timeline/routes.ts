import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { ORDER_REF } from '../../docs/openapi/examples.ts'
import { orderOfMerchant } from '../../http/access.ts'
import { jsonAnswer, jsonBodyOf, type Route, route } from '../../http/route.ts'
import { followLines, LinesView, linesView, withNewestLines } from '../../live/order-lines.ts'
import { accessInSandbox, SANDBOX } from '../access.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { forkedView, SINK_PATH, sinkUrl } from '../fork-links.ts'
import { forkOrder } from '../fork-order.ts'
import { Forked, ForkPayload, Timeline } from '../protocol.ts'
import { followRoute, type SandboxServices, type ToolOwner } from '../services.ts'
import { countTimeline, readTimeline } from './timeline.ts'

/** What happened to an order and what will happen next, and copies of it up to one of its events. */
export const timelineRoutes = (
  services: SandboxServices,
  { path, of, as, order, streamOrder }: ToolOwner,
): readonly Route[] => {
  const { host, merchants, streams, sandbox, setting } = services
  const { records, messages } = sandbox.watch
  const parts = { host, merchants, records, messages }
  const fork = forkOrder(host, sinkUrl(setting.baseUrl), sandbox.forks)
  const call = `${path}/orders/:uuid` as const
  return [
    route(`GET ${call}/timeline`, `show${of}Timeline`, `Get the timeline of an order${as}`, {
      access: streamOrder,
      description:
        'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
      ok: jsonAnswer('Everything so far.', Timeline),
      handle: readTimeline(parts),
    }),
    followRoute(
      streams,
      `GET ${call}/timeline/events`,
      `follow${of}Timeline`,
      `Follow the timeline of an order${as}`,
      {
        access: streamOrder,
        description:
          'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.',
        follow: ({ placed }) => ({
          account: placed.merchant.account,
          readAfter: countTimeline(parts, placed.orderRef),
        }),
      },
    ),
    route(`POST ${call}/forks`, `fork${of}Order`, `Fork an order${as}`, {
      access: order,
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
          TE.map((forked) => forkedView(original, at, forked)),
        ),
    }),
  ]
}

/** The history of the demo merchant's orders. Other merchants have it without a sandbox. */
export const demoHistoryRoutes = ({ host, streams }: SandboxServices): readonly Route[] => {
  const access = accessInSandbox(orderOfMerchant(host, DEMO_MERCHANT))
  const call = 'GET /sandbox/demo/orders/:uuid/history'
  return [
    route(call, 'showDemoHistory', 'Get the history of an order of demo', {
      access,
      ok: jsonAnswer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        LinesView,
      ),
      handle: (order) => pipe(withNewestLines(host.store)(order), TE.map(linesView)),
    }),
    followRoute(
      streams,
      `${call}/events`,
      'followDemoHistory',
      'Follow the history of an order of demo',
      {
        access,
        description:
          'An event named line for each line of the history. Its id is the number of the line.',
        follow: (order) => ({
          account: order.placed.merchant.account,
          readAfter: followLines(host.store)(order),
        }),
      },
    ),
  ]
}

export const sinkRoute: Route = route(
  `POST ${SINK_PATH}`,
  'sink',
  'Receive the requests of a fork that calls no merchant',
  {
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
  },
)
