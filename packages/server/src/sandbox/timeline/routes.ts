import {
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
import { followRoute, type SandboxServices, type ToolOwner } from '../services.ts'
import { countTimeline, readTimeline } from './timeline.ts'

/** What happened to an order and what will happen next. */
export const timelineRoutes = (
  services: SandboxServices,
  { path, of, as, streamOrder }: ToolOwner,
): readonly Route[] => {
  const { host, merchants, streams, sandbox } = services
  const { recorder, sentMessages } = sandbox
  const parts = { host, merchants, recorder, messages: sentMessages }
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
        follow: (order) => ({
          account: order.placed.merchant.account,
          readAfter: countTimeline(parts, order),
        }),
      },
    ),
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
