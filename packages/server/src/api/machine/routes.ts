// Shows the statechart, and the way of an order on it. The uuid alone opens no order: it takes the
// operator's credentials or, where merchants may look, those of the order's merchant. A page follows
// the order by server-sent events. Contract §7, Machine.
import { type Order, orderViewIn } from '@plazo/core'
import { type Context, Hono } from 'hono'
import { anyOrder } from '../../http/access.ts'
import { type Markup, rootFrom, sendPage } from '../../http/page/page.ts'
import { orderName } from '../../http/page/script/formats.ts'
import { basicCredentials } from '../../http/request.ts'
import {
  accessBy,
  answer,
  EVENT_STREAM,
  header,
  jsonAnswer,
  query,
  type Route,
  route,
} from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import { confirmedOrder, historyLine as exampleLine } from '../docs/openapi/examples.ts'
import { followLines, LinesView, readLines } from '../orders/order-lines.ts'
import { MACHINE_DATA_TEXT } from './machine-data.ts'
import { machinePage, orderMachinePage } from './page.ts'

const PATH = '/machine/orders/:uuid'

const WHO =
  'For the operator; in the sandbox also for the order’s own merchant. Knowing the uuid is not enough.'

/** Knowing the uuid is not enough. */
const orderFor =
  ({ host, operator, operatorOr, byOwner, config }: Services) =>
  async (c: Context): Promise<Order> => {
    if (config.policy.showsMachineToMerchants)
      return operatorOr<Order>(anyOrder(host), byOwner.load)(c)
    await operator(c)
    return anyOrder(host)(c)
  }

/** The statechart, and the way that an order took, which follows it live. */
export const machinePages = (services: Services): Hono => {
  const { host, frame } = services
  const findOrder = orderFor(services)
  const show = (c: Context, script: string, title: string, body: Markup): Promise<Response> =>
    sendPage(c, {
      title,
      body,
      styles: ['api/machine/style.css'],
      ...(frame && { lead: frame.bar('machine', rootFrom(c)) }),
      scripts: [script],
      policy: ["connect-src 'self'"],
    })
  /** Null: no ways can be run. */
  const runsFor = (c: Context): string | null => (frame ? `${rootFrom(c)}${frame.runs}` : null)
  return new Hono()
    .get('/machine', (c) =>
      show(c, 'machine-element', 'The statechart of an order', machinePage(runsFor(c))),
    )
    .get('/sdk/machine.json', (c) => c.body(MACHINE_DATA_TEXT, 200, DATA_HEADERS))
    .get(PATH, async (c) => {
      const order = await findOrder(c)
      const newest = await readLines(host.store)(order)
      const view = orderViewIn('en')(order)
      const body = orderMachinePage(view, newest, runsFor(c))
      return show(c, 'machine-order', `Order ${orderName(view)}`, body)
    })
}

/** What the page of an order reads. */
export const machineRoutes = (services: Services): readonly Route[] => {
  const { host, streams } = services
  const access = accessBy('operator', orderFor(services))
  const lineEvents = followLines(host.store)
  return [
    route(`GET ${PATH}/history`, 'readOrderOnMachine', 'Get an order with its newest history', {
      access,
      description: `What the page shows, as data: at most 1,000 lines. ${WHO}`,
      ok: jsonAnswer('The order and its journal, oldest first.', LinesView, {
        order: { order: confirmedOrder, history: [exampleLine], is_cut: false },
      }),
      handle: readLines(host.store),
    }),
    route(`GET ${PATH}/history/events`, 'followOrderOnMachine', 'Follow an order’s history', {
      access,
      description: `Server-sent events. Each has the type line, a line of the history as data, and its seq as id. ${WHO}`,
      parameters: {
        after: query('The seq of the last known line. Default: 0, for all lines.'),
        'Last-Event-ID': header('The same; browsers send it when they connect again.'),
      },
      ok: answer('The stream. A comment follows 15 s of silence.', EVENT_STREAM),
      problems: { 400: 'after is not a number.', 429: 'The account has 8 open streams.' },
      handle: (order, _, c) =>
        streams.respond(c, basicCredentials(c)?.username ?? '', lineEvents(order)),
    }),
  ]
}

/** Pages of any origin may load the data that the custom element draws. */
const DATA_HEADERS = {
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
}
