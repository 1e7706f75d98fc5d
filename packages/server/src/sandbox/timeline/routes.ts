// Developers of shops follow an order here, with every request and webhook, so that they see why their
// checkout goes on or does not. Sandbox rules, Timeline.
import type { Order } from '@plazo/core'
import {
  type Access,
  followLines,
  jsonAnswer,
  LinesView,
  linesView,
  orderOfMerchant,
  type Route,
  route,
  withNewestLines,
} from '@plazo/server/internal'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { accessInSandbox } from '../access.ts'
import { DEMO_MERCHANT } from '../demo-merchant.ts'
import { Timeline } from '../protocol.ts'
import { followRoute, type SandboxServices } from '../services.ts'
import { countTimeline, readTimeline } from './timeline.ts'

/**
 * The timeline of an order, for its merchant and for the demo merchant, and the history of the demo
 * merchant's orders. Other merchants have it without a sandbox.
 */
export const timelineRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, merchants, streams, recorder, sentMessages: messages, byStreamOwner } = services
  const parts = { host, merchants, recorder, messages }
  const access = accessInSandbox(orderOfMerchant(host, DEMO_MERCHANT))
  const timelineOf = (path: string, of: string, as: string, owner: Access<Order>) => {
    const call = `GET ${path}/orders/:uuid/timeline` as const
    return [
      route(call, `show${of}Timeline`, `Get the timeline of an order${as}`, {
        access: owner,
        description:
          'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
        ok: jsonAnswer('Everything so far.', Timeline),
        handle: readTimeline(parts),
      }),
      followRoute(
        streams,
        `${call}/events`,
        `follow${of}Timeline`,
        `Follow the timeline of an order${as}`,
        {
          access: owner,
          description:
            'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.',
          follow: (order) => ({
            account: order.placed.merchant.account,
            readAfter: countTimeline(parts, order),
          }),
        },
      ),
    ]
  }
  const history = 'GET /sandbox/demo/orders/:uuid/history'
  return [
    ...timelineOf('/sandbox', '', '', byStreamOwner),
    ...timelineOf('/sandbox/demo', 'Demo', ' as the demo merchant', access),
    route(history, 'showDemoHistory', 'Get the history of an order of demo', {
      access,
      ok: jsonAnswer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        LinesView,
      ),
      handle: (order) => pipe(withNewestLines(host.store)(order), TE.map(linesView)),
    }),
    followRoute(
      streams,
      `${history}/events`,
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
