// Shows the statechart, and the way of an order on it. The uuid alone opens no order: it takes the
// operator's credentials, unless an extension also lets the order's merchant look. A page follows
// the order by server-sent events. Contract §7, Machine.
import { orderViewIn } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { confirmedOrder, historyLine as exampleLine } from '../docs/openapi/examples.ts'
import { anyOrder, type OrderAccess, operatorOf } from '../http/access.ts'
import { type Page, rootFrom, sendPage } from '../http/page/page.ts'
import { basicCredentials } from '../http/request.ts'
import {
  accessBy,
  answer,
  EVENT_STREAM,
  FRONTEND,
  header,
  jsonAnswer,
  PAGE,
  query,
  type Route,
  route,
  SERVICE,
  text,
} from '../http/route.ts'
import type { Services } from '../http/services.ts'
import { respondStream } from '../http/stream.ts'
import {
  followLines,
  LinesView,
  linesView,
  type OrderWithLines,
  withNewestLines,
} from '../live/order-lines.ts'
import { MACHINE_DATA_TEXT } from './machine-data.ts'
import { type MachinePage, machinePage, orderMachinePage } from './page.ts'

const PATH = '/machine/orders/:uuid'

const WHO =
  'For the operator; in the sandbox also for the order’s own merchant. Knowing the uuid is not enough.'

/** What an extension adds to the pages of the statechart. */
export type MachineTools = {
  /** Finds an order for its merchant, who may look at it too. */
  readonly ownOrder: OrderAccess
  /** The path of a style sheet. */
  readonly style: string
  readonly page: MachinePage & Pick<Page, 'lead'>
  readonly orderPage: (root: string) => MachinePage & Required<Pick<Page, 'lead'>>
}

/** `tools`: null if only operators look at orders. */
export const machineRoutes = (
  services: Services,
  tools: MachineTools | null = null,
): readonly Route[] => {
  const { host, streams, operator, operatorOr } = services
  const styles = ['machine/style.css', ...(tools === null ? [] : [tools.style])]
  const lineEvents = followLines(host.store)
  const readLines = withNewestLines(host.store)
  const anOrder = {
    ...accessBy('operator', anyOrder(host)),
    guard: {
      path: `${PATH}/*`,
      load: tools === null ? operator : operatorOr<unknown>(operator, tools.ownOrder),
    },
  }

  const showOrder = (c: Context, { order, newest }: OrderWithLines): Promise<Response> => {
    const view = orderViewIn('en')(order)
    const { runs = null, lead } = tools?.orderPage(rootFrom(c)) ?? {}
    return sendPage(c, {
      title: `Order ${view.order_ref_1 === '' ? view.order_ref : view.order_ref_1}`,
      body: orderMachinePage(view, newest, { runs }),
      styles,
      scripts: ['machine-order'],
      policy: POLICY,
      ...(lead && { lead }),
    })
  }

  return [
    route('GET /machine', 'showMachine', 'Read the statechart as a page', {
      access: SERVICE,
      ok: PAGE,
      handle: (_access, _body, c) =>
        sendPage(c, {
          title: 'The statechart of an order',
          body: machinePage(tools?.page ?? { runs: null }),
          styles,
          ...(tools?.page.lead && { lead: tools.page.lead }),
          scripts: ['machine-element'],
          policy: POLICY,
        }),
    }),
    route('GET /sdk/machine.json', 'machineData', 'Load the statechart as data', {
      access: FRONTEND,
      description:
        'What the custom element draws: positions, states and transitions. It may change with each version.',
      ok: answer('The data.', text('application/json')),
      handle: (_access, _body, c) =>
        c.body(MACHINE_DATA_TEXT, 200, { ...PUBLIC_HEADERS, 'content-type': 'application/json' }),
    }),
    route(`GET ${PATH}`, 'showOrderOnMachine', 'Follow an order on the statechart', {
      access: anOrder,
      errors: 'page',
      description: `Shows the current states and the path to them, and follows the order live. ${WHO}`,
      ok: PAGE,
      handle: (order, _, c) =>
        pipe(
          readLines(order),
          TE.chainTaskK((lines) => () => showOrder(c, lines)),
        ),
    }),
    route(`GET ${PATH}/history`, 'readOrderOnMachine', 'Get an order with its newest history', {
      access: anOrder,
      description: `What the page shows, as data: at most 1,000 lines. ${WHO}`,
      ok: jsonAnswer('The order and its journal, oldest first.', LinesView, {
        order: { order: confirmedOrder, history: [exampleLine], is_cut: false },
      }),
      handle: (order) => pipe(readLines(order), TE.map(linesView)),
    }),
    route(`GET ${PATH}/history/events`, 'followOrderOnMachine', 'Follow an order’s history', {
      access: anOrder,
      description: `Server-sent events. Each has the type line, a line of the history as data, and its seq as id. ${WHO}`,
      parameters: {
        after: query('The seq of the last known line. Default: 0, for all lines.'),
        'Last-Event-ID': header('The same; browsers send it when they connect again.'),
      },
      ok: answer('The stream. A comment follows 15 s of silence.', EVENT_STREAM),
      problems: { 400: 'after is not a number.', 429: 'The account has 8 open streams.' },
      isSampled: false,
      handle: (order, _, c) =>
        respondStream(c, streams, basicCredentials(c)?.username ?? '', {
          readAfter: lineEvents(order),
          // The operator's password cannot change while the server runs.
          mayRead: async () =>
            operatorOf(c) !== undefined || tools === null || E.isRight(await tools.ownOrder(c)()),
        }),
    }),
  ]
}

/** Pages of any origin may load these. */
const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
}

const POLICY = ["connect-src 'self'"]
