// Shows the statechart, and the way of an order on it. The uuid alone opens no order: it takes the
// operator's credentials, or in the sandbox those of the order's merchant. A page follows the order
// by server-sent events. Contract §7, Machine.
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import { orderOnPage } from '../console/order-page.ts'
import { anyOrder, isByOperator } from '../http/access.ts'
import { SCRIPTS } from '../http/page/browser-script.ts'
import { rootFrom, sendPage } from '../http/page/page.ts'
import { basicCredentials } from '../http/request.ts'
import type { Services } from '../http/services.ts'
import { respondStream } from '../live/event-stream.ts'
import {
  followLines,
  linesView,
  type OrderWithLines,
  withNewestLines,
} from '../live/order-lines.ts'
import { SANDBOX_WIDE_STYLE, sandboxTop } from '../sandbox/layout.ts'
import { drillBanner } from '../sandbox/webhooks/drills-page.ts'
import { MACHINE_DATA_TEXT } from './machine-data.ts'
import { MACHINE_STYLE, machinePage, orderMachinePage } from './page.ts'

const PATH = '/machine/orders/:uuid'

export const machineRoutes = (services: Services) => {
  const { host, streams, isOperator, sandbox, respond, respondPage } = services
  // In production only operators look at orders.
  const ownOrder = sandbox && services.streamOrder
  const style = sandbox === null ? MACHINE_STYLE : `${MACHINE_STYLE}${SANDBOX_WIDE_STYLE}`
  const findOrder = anyOrder(host)
  const readLines = withNewestLines(host.store)
  const lineEvents = followLines(host.store)

  const mayRead: MiddlewareHandler = async (c, next) => {
    if (ownOrder === null || isByOperator(c)) return isOperator(c, next)
    const order = await ownOrder(c)()
    if (E.isLeft(order)) return pipe(TE.left(order.left), respondPage(c, identity<Response>))
    await next()
    return undefined
  }

  const showOrder = (c: Context, { order, newest }: OrderWithLines): Promise<Response> => {
    const view = orderOnPage(order)
    // An operator looks at the orders of all merchants.
    const drills = isByOperator(c) ? undefined : sandbox?.tools.drills.cached
    const root = rootFrom(c)
    // Production has no buttons. Only the order's merchant forks it.
    const tools = {
      runs: ownOrder === null ? null : '../../sandbox/demo/',
      forks:
        ownOrder === null || isByOperator(c)
          ? null
          : `../../sandbox/orders/${view.order_ref}/forks`,
    }
    return sendPage(c, {
      title: `Order ${view.order_ref_1 === '' ? view.order_ref : view.order_ref_1}`,
      body: orderMachinePage(view, newest, tools),
      style,
      scripts: [SCRIPTS.machineOrder, ...(drills === undefined ? [] : [SCRIPTS.drills])],
      policy: POLICY,
      ...(sandbox && {
        lead: html`${sandboxTop('machine', root)}${drills && drillBanner(drills, order.placed.merchant.ref, root)}`,
      }),
    })
  }

  return new Hono()
    .get('/machine', (c) =>
      sendPage(c, {
        title: 'The statechart of an order',
        body: machinePage(sandbox && 'sandbox/demo/'),
        style,
        ...(sandbox && { lead: sandboxTop('machine', '') }),
        scripts: [SCRIPTS.machine],
        policy: POLICY,
      }),
    )
    .get('/sdk/machine.json', (c) =>
      c.body(MACHINE_DATA_TEXT, 200, { ...PUBLIC_HEADERS, 'content-type': 'application/json' }),
    )
    .use(PATH, mayRead)
    .use(`${PATH}/*`, mayRead)
    .get(PATH, (c) =>
      pipe(
        findOrder(c),
        TE.chainW(readLines),
        respondPage(c, (read) => showOrder(c, read)),
      ),
    )
    .get(`${PATH}/history`, (c) =>
      pipe(findOrder(c), TE.chainW(readLines), TE.map(linesView), respond(c)),
    )
    .get(`${PATH}/history/events`, (c) =>
      pipe(
        findOrder(c),
        respond(c, (order) =>
          respondStream(c, streams, basicCredentials(c)?.username ?? '', {
            readAfter: lineEvents(order),
            // The operator's password cannot change while the server runs.
            mayRead: async () =>
              ownOrder === null || isByOperator(c) || E.isRight(await ownOrder(c)()),
          }),
        ),
      ),
    )
}

/** Pages of any origin may load these. */
const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
}

const POLICY = ["connect-src 'self'"]
