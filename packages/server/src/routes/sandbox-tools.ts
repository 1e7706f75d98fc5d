// Answers a browser with the sandbox's test data, SMS and clock as pages. They show only orders of the demo merchant, unless the
// request has the credentials of another one. Contract §8, Pages.
import { type Order, orderView } from '@plazo/core'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Context } from 'hono'
import { html } from 'hono/html'
import type { KnownError } from '../http/problem.ts'
import { DEMO_MERCHANT } from '../merchants/demo-merchant.ts'
import type { BrowserScript } from '../pages/browser-script.ts'
import { drillBanner } from '../pages/drills.ts'
import { type Markup, rootFrom, sendPage } from '../pages/page.ts'
import { CLOCK_STYLE, clockPage } from '../pages/sandbox-clock.ts'
import { type SandboxPageName, sandboxTop } from '../pages/sandbox-layout.ts'
import { MESSAGES_STYLE, messagesPage } from '../pages/sandbox-messages.ts'
import { SCRIPTS } from '../pages/scripts.ts'
import { TRIGGERS_STYLE, triggersPage } from '../pages/triggers.ts'
import { upcomingEntry } from '../sandbox/timeline.ts'
import { isOfDemo, newestOfDemo } from './demo-orders.ts'
import type { SandboxServices } from './services.ts'

const SHOWN_MAX = 50

const NOT_FOUND = { _tag: 'OrderNotFound' } as const

type Answer = TE.TaskEither<KnownError, Response>

export const sandboxTools = ({ host, access, sandbox: { watch, tools } }: SandboxServices) => {
  const send = (
    c: Context,
    page: { readonly current: SandboxPageName; readonly title: string; readonly body: Markup; readonly style: string },
    script: BrowserScript,
    { hasForms = false, merchantRef = DEMO_MERCHANT } = {},
  ): Promise<Response> => {
    const root = rootFrom(c)
    return sendPage(c, {
      ...page,
      ...{ scripts: [script, SCRIPTS.drills], hasForms },
      lead: html`${sandboxTop(page.current, root)}${drillBanner(tools.drills.cached, merchantRef, root)}`,
      policy: ["connect-src 'self'"],
    })
  }

  const sentTo = (orders: readonly Order[]) =>
    pipe(
      orders,
      TE.traverseArray((order) =>
        pipe(
          watch.messages(order.placed.orderRef),
          TE.map((list) => list.map((message) => ({ message, order: orderView(order) }))),
        ),
      ),
      TE.map((all) => all.flat().toSorted((one, other) => other.message.at - one.message.at)),
    )

  const demoOrders = () => newestOfDemo(host.store)

  /** Everybody may see an order of the demo merchant. For any other uuid, the credentials of its merchant are required. */
  const orderFor = (c: Context, orderRef: string): TE.TaskEither<KnownError, Order> => {
    const own = pipe(
      access.account(c),
      TE.bindTo('account'),
      TE.bindW('order', () => host.store.read(orderRef)),
      TE.filterOrElseW(
        ({ account: [{ username }], order }) => order.placed.merchant.account === username,
        () => NOT_FOUND,
      ),
      TE.map(({ order }) => order),
    )
    return pipe(
      host.store.read(orderRef),
      TE.filterOrElseW(isOfDemo, () => NOT_FOUND),
      TE.orElseW((error) => (error._tag === 'OrderNotFound' ? own : TE.left(error))),
    )
  }

  return {
    triggers: (c: Context): Promise<Response> =>
      send(
        c,
        { current: 'triggers', title: 'Test data', body: triggersPage(rootFrom(c)), style: TRIGGERS_STYLE },
        SCRIPTS.copyButtons,
      ),
    /** `orderRef`: null shows those of the demo merchant's newest orders. */
    messages: (c: Context, orderRef: string | null): Answer =>
      pipe(
        orderRef === null
          ? demoOrders()
          : pipe(
              orderFor(c, orderRef),
              TE.map((order) => [order]),
            ),
        TE.bindTo('orders'),
        TE.bindW('sms', ({ orders }) => sentTo(orders)),
        TE.chainTaskK(({ orders, sms }) => () => {
          const [order] = orders
          const body = messagesPage({
            root: rootFrom(c),
            order: orderRef === null || order === undefined ? null : orderView(order),
            messages: sms.slice(0, SHOWN_MAX),
          })
          return send(c, { current: 'messages', title: 'SMS', body, style: MESSAGES_STYLE }, SCRIPTS.messages, {
            hasForms: true,
            // Without an order, and with one of the demo merchant, the page is the demo merchant's.
            merchantRef: orderRef === null ? DEMO_MERCHANT : (order?.placed.merchant.ref ?? DEMO_MERCHANT),
          })
        }),
      ),
    clock: (c: Context): Answer =>
      pipe(
        demoOrders(),
        TE.chainW(
          TE.traverseArray((order) =>
            pipe(
              host.store.inspection.pendingJobs(order.placed.orderRef),
              TE.map((jobs) =>
                jobs.map((job) => ({ order: orderView(order), job: upcomingEntry(job, host.clock.now()) })),
              ),
            ),
          ),
        ),
        TE.bindTo('jobs'),
        TE.bindW('nextDueAt', () => host.store.nextDueAt()),
        TE.chainTaskK(({ jobs, nextDueAt }) => () => {
          const upcoming = jobs.flat().toSorted((one, other) => (one.job.at < other.job.at ? -1 : 1))
          const body = clockPage({
            ...{ root: rootFrom(c), now: host.clock.now(), nextDueAt },
            upcoming: upcoming.slice(0, SHOWN_MAX),
          })
          return send(c, { current: 'clock', title: 'Clock', body, style: CLOCK_STYLE }, SCRIPTS.clock)
        }),
      ),
  }
}
