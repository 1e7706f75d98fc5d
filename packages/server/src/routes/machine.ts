// Shows the statechart, and the way of an order on it. The uuid alone opens no order: it takes the operator's credentials, or in
// the sandbox those of the order's merchant. A page follows the order by server-sent events. Contract §7, Machine.
import { type FullHost, orderView } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { html } from 'hono/html'
import type { OrderAccess } from '../http/access.ts'
import { basicCredentials, uuidParam } from '../http/request.ts'
import type { EventStreams } from '../live/event-stream.ts'
import { newestLines, nextLines } from '../live/order-lines.ts'
import { respondStream } from '../live/respond-stream.ts'
import { MACHINE_DATA_TEXT } from '../machine/machine-data.ts'
import { DRILL_SCRIPTS, drillBanner, type KnownDrills } from '../pages/drills.ts'
import {
  MACHINE_SCRIPTS,
  MACHINE_STYLE,
  machinePage,
  ORDER_MACHINE_SCRIPTS,
  orderMachinePage,
} from '../pages/machine.ts'
import { orderOnPage } from '../pages/order.ts'
import { rootFrom, sendPage } from '../pages/page.ts'
import { SANDBOX_WIDE_STYLE } from '../pages/sandbox-style.ts'
import { sandboxTop } from '../pages/sandbox-top.ts'
import { type AnswerError, respond, respondOnConsole } from './answers.ts'

const PATH = '/machine/orders/:uuid'

type MachineParts = {
  readonly host: FullHost
  readonly streams: EventStreams
  readonly isOperator: MiddlewareHandler
  /** An order of the calling account; null in production, where only operators look. Must not limit the account's reads. */
  readonly ownOrder: OrderAccess | null
  /** Null in production. */
  readonly drills: KnownDrills | null
}

export const machineRoutes = (
  { host, streams, isOperator, ownOrder, drills }: MachineParts,
  answerError: AnswerError,
) => {
  const readLines = newestLines(host.store)
  const readNext = nextLines(host.store)

  const mayRead: MiddlewareHandler = async (c, next) => {
    if (ownOrder === null || basicCredentials(c)?.username === OPERATOR) return isOperator(c, next)
    const order = await ownOrder(c)()
    if (E.isLeft(order)) return respondOnConsole(c, answerError, TE.left(order.left))
    await next()
    return undefined
  }

  const readOrder = (c: Context, after = 0) =>
    pipe(
      TE.fromEither(uuidParam(c)),
      TE.bindTo('orderRef'),
      TE.bindW('order', ({ orderRef }) => host.store.read(orderRef)),
      TE.bindW('newest', ({ orderRef }) => readLines(orderRef, after)),
    )

  /** Production has no buttons. Only the order's merchant forks it. */
  const toolsFor = (c: Context, orderRef: string) => ({
    source: `${orderRef}/history`,
    runs: ownOrder === null ? null : '../../sandbox/demo/',
    forks:
      ownOrder === null || basicCredentials(c)?.username === OPERATOR ? null : `../../sandbox/orders/${orderRef}/forks`,
  })

  const openStream = (c: Context, orderRef: string): Response => {
    const account = basicCredentials(c)?.username ?? ''
    return respondStream(c, streams, account, {
      readAfter: async (id) => {
        const next = await readNext(orderRef, id)()
        return E.isLeft(next) ? null : next.right.map((line) => ({ id: line.seq, type: 'line', data: line }))
      },
      // The operator's password cannot change while the server runs.
      mayRead: async () => ownOrder === null || account === OPERATOR || E.isRight(await ownOrder(c)()),
    })
  }

  return new Hono()
    .get('/machine', (c) =>
      sendPage(c, {
        title: 'The statechart of an order',
        body: machinePage(ownOrder === null ? null : 'sandbox/demo/'),
        style: MACHINE_STYLE,
        ...(ownOrder !== null && { lead: sandboxTop('machine', ''), style: `${MACHINE_STYLE}${SANDBOX_WIDE_STYLE}` }),
        scripts: MACHINE_SCRIPTS,
        policy: POLICY,
      }),
    )
    .get('/sdk/machine.js', (c) =>
      c.body(MACHINE_MODULE, 200, { ...PUBLIC_HEADERS, 'content-type': 'text/javascript' }),
    )
    .get('/sdk/machine.json', (c) =>
      c.body(MACHINE_DATA_TEXT, 200, { ...PUBLIC_HEADERS, 'content-type': 'application/json' }),
    )
    .use(PATH, mayRead)
    .use(`${PATH}/*`, mayRead)
    .get(PATH, (c) =>
      respondOnConsole(
        c,
        answerError,
        pipe(
          readOrder(c),
          TE.chainTaskK(({ order, newest }) => () => {
            const view = orderOnPage(order)
            // An operator looks at the orders of all merchants.
            const ownDrills = basicCredentials(c)?.username === OPERATOR ? null : drills
            return sendPage(c, {
              title: `Order ${view.order_ref_1 === '' ? view.order_ref : view.order_ref_1}`,
              body: orderMachinePage({ order: view, ...newest, ...toolsFor(c, view.order_ref) }),
              style: ownOrder === null ? MACHINE_STYLE : `${MACHINE_STYLE}${SANDBOX_WIDE_STYLE}`,
              scripts: ownDrills === null ? ORDER_MACHINE_SCRIPTS : [...ORDER_MACHINE_SCRIPTS, ...DRILL_SCRIPTS],
              policy: POLICY,
              ...(ownOrder !== null && {
                lead: html`${sandboxTop('machine', rootFrom(c))}${ownDrills === null ? '' : drillBanner(ownDrills, order.placed.merchant.ref, rootFrom(c))}`,
              }),
            })
          }),
        ),
      ),
    )
    .get(`${PATH}/history`, (c) =>
      respond(c, answerError, readOrder(c), ({ order, newest }) =>
        c.json({ order: orderView(order), history: newest.lines, is_cut: newest.isCut }),
      ),
    )
    .get(`${PATH}/history/events`, (c) =>
      respond(c, answerError, pipe(TE.fromEither(uuidParam(c)), TE.chainFirstW(host.store.read)), (orderRef) =>
        openStream(c, orderRef),
      ),
    )
}

const OPERATOR = 'operator'

/** Pages of any origin may load these. */
const PUBLIC_HEADERS = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'public, max-age=300',
}

/** A module with a fixed name for the one whose name changes with the code. */
const MACHINE_MODULE = MACHINE_SCRIPTS.map(({ path }) => `import '../${path}'\n`).join('')

const POLICY = ["connect-src 'self'"]
