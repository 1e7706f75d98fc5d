// Developers see in the sandbox what happens: the test data, the SMS that were sent, the clock, the
// timeline of an order and its forks. The demo merchant's orders are open, because everybody knows
// its password. An order of another merchant requires that merchant's credentials. A browser gets
// the first three as pages. Sandbox rules, Pages, Timeline and Forks.
import { SANDBOX_CODE, TEST_CARDS, TRIGGERS } from '@plazo/adapters/sandbox'
import { forkOrder, type Order, orderView } from '@plazo/core'
import {
  AdvancePayload,
  Forked,
  ForkPayload,
  type SmsSent,
  type TriggerCatalogue,
} from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Context, Hono } from 'hono'
import { stream } from 'hono/streaming'
import type { OrderAccess } from '../http/access.ts'
import { wantsPage } from '../http/answers.ts'
import { decodeJson, jsonBody, limitBody } from '../http/body.ts'
import { SCRIPTS } from '../http/page/browser-script.ts'
import { rootFrom, sendPage } from '../http/page/page.ts'
import {
  type KnownError,
  problem,
  problemText,
  type RequestError,
  requestError,
} from '../http/problem.ts'
import { acceptedLanguage, UUID } from '../http/request.ts'
import { type LiveSource, respondStream } from '../live/event-stream.ts'
import { followLines, linesView, withNewestLines } from '../live/order-lines.ts'
import { CLOCK_STYLE, clockPage } from './clock/page.ts'
import type { TestClockControl } from './clock/test-clock.ts'
import { SINK_PATH, sinkUrl } from './fork-links.ts'
import { isOfDemo, newestOfDemo } from './front-page/routes.ts'
import { LENDER_PATH, lenderPage } from './lender.ts'
import { MESSAGES_STYLE, messagesPage } from './messages-page.ts'
import type { SandboxServices } from './services.ts'
import { countTimeline, readTimeline, upcomingOf } from './timeline/timeline.ts'
import { TRIGGERS_STYLE, triggersPage } from './triggers-page.ts'
import { sendToolPage } from './webhooks/drills-page.ts'

const KEEP_ALIVE = 10_000
const SHOWN_MAX = 50

// A year of five digits is written differently, and an instant after the year 275760 cannot be
// written.
const END_OF_TIME = Date.UTC(10_000, 0)

const catalogue: TriggerCatalogue = {
  triggers: TRIGGERS.map(({ surnames, note, path }) => ({ surnames, note, path })),
  otp: { code: SANDBOX_CODE, note: 'accepted wherever the code from the SMS is accepted' },
  cards: TEST_CARDS.map(({ number, does }) => ({
    number,
    does,
    expiry: 'any future month, MM/YY',
    cvc: 'any',
  })),
}

/** The uuid of an order, in any case; null if the request names none. */
const orderNamed = (c: Context): E.Either<RequestError, string | null> => {
  const named = c.req.query('order_ref') ?? ''
  if (named === '') return E.right(null)
  return UUID.test(named) ? E.right(named.toLowerCase()) : E.left(requestError(400, NOT_A_UUID))
}

const NOT_A_UUID = 'order_ref must be the uuid of an order.'

const NOT_FOUND = { _tag: 'OrderNotFound' } as const

export const sandboxRoutes = ({ host, access, respond, respondPage, sandbox }: SandboxServices) => {
  const { messages, time, watch, tools } = sandbox

  const showTriggers = (c: Context): Promise<Response> =>
    sendToolPage(c, tools.drills.cached, {
      current: 'triggers',
      ...{
        title: 'Test data',
        body: triggersPage(rootFrom(c)),
        style: TRIGGERS_STYLE,
        script: SCRIPTS.copyButtons,
      },
    })

  /**
   * Everybody may see an order of the demo merchant. For any other uuid, the credentials of its
   * merchant are required.
   */
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

  const messagesTo = (order: Order) =>
    pipe(
      watch.messages(order.placed.orderRef),
      TE.map((list) => list.map((message) => ({ message, order: orderView(order) }))),
    )

  const showMessages = (c: Context): Promise<Response> =>
    pipe(
      TE.fromEither(orderNamed(c)),
      TE.bindTo('orderRef'),
      TE.bindW('order', ({ orderRef }) =>
        orderRef === null ? TE.right(null) : orderFor(c, orderRef),
      ),
      TE.bindW('orders', ({ order }) =>
        order === null ? newestOfDemo(host.store) : TE.right([order]),
      ),
      TE.bindW('sms', ({ orders }) => TE.traverseArray(messagesTo)(orders)),
      respondPage(c, ({ order, sms }) => {
        const newestFirst = sms.flat().toSorted((one, other) => other.message.at - one.message.at)
        const body = messagesPage({
          root: rootFrom(c),
          order: order && orderView(order),
          messages: newestFirst.slice(0, SHOWN_MAX),
        })
        return sendToolPage(c, tools.drills.cached, {
          current: 'messages',
          ...{
            title: 'SMS',
            body,
            style: MESSAGES_STYLE,
            script: SCRIPTS.liveList,
            hasForms: true,
          },
          ...(order && { merchantRef: order.placed.merchant.ref }),
        })
      }),
    )

  const listMessages = (c: Context): Promise<Response> =>
    pipe(
      TE.fromEither(orderNamed(c)),
      TE.filterOrElseW(
        (ref) => ref !== null,
        () => requestError(400, `order_ref is missing. ${NOT_A_UUID}`),
      ),
      TE.chainW((ref) => orderFor(c, ref)),
      TE.chainW(({ placed }) => messages(placed.orderRef)),
      TE.map((list) =>
        list.map(
          ({ at, to, text, code }): SmsSent => ({ at: new Date(at).toISOString(), to, text, code }),
        ),
      ),
      respond(c),
    )

  const jobsOf = (order: Order) =>
    pipe(
      host.store.inspection.pendingJobs(order.placed.orderRef),
      TE.map((jobs) =>
        upcomingOf(order, jobs, host.clock.now()).map((job) => ({ order: orderView(order), job })),
      ),
    )

  const showClock = (c: Context): Promise<Response> =>
    pipe(
      newestOfDemo(host.store),
      TE.chainW(TE.traverseArray(jobsOf)),
      TE.bindTo('jobs'),
      TE.bindW('nextDueAt', () => host.store.nextDueAt()),
      respondPage(c, ({ jobs, nextDueAt }) => {
        const upcoming = jobs.flat().toSorted((one, other) => (one.job.at < other.job.at ? -1 : 1))
        const body = clockPage({
          ...{ root: rootFrom(c), now: host.clock.now(), nextDueAt },
          upcoming: upcoming.slice(0, SHOWN_MAX),
        })
        return sendToolPage(c, tools.drills.cached, {
          current: 'clock',
          ...{ title: 'Clock', body, style: CLOCK_STYLE, script: SCRIPTS.clock },
        })
      }),
    )

  return new Hono()
    .get(LENDER_PATH, (c) => sendPage(c, lenderPage(acceptedLanguage(c))))
    .get('/sandbox/triggers', async (c) => (wantsPage(c) ? showTriggers(c) : c.json(catalogue)))
    .get('/sandbox/messages', (c) => (wantsPage(c) ? showMessages(c) : listMessages(c)))
    .get('/sandbox/clock', async (c) => (wantsPage(c) ? showClock(c) : c.json(time.view())))
    .post('/sandbox/clock/advance', limitBody(), (c) =>
      pipe(
        jsonBody(c),
        TE.filterOrElseW(AdvancePayload.is, () =>
          requestError(400, 'seconds must be a number, 0 or more.'),
        ),
        TE.tap(() => time.catchUp),
        TE.map(({ seconds }) => Math.round(seconds * 1000)),
        TE.filterOrElseW(
          (millis) => time.now() + millis < END_OF_TIME,
          () => requestError(400, 'seconds must not move the clock past the year 9999.'),
        ),
        respond(c, (millis) => answerAdvance(c, time.advance(millis))),
      ),
    )
    .post('/sandbox/clock/next', limitBody(), (c) =>
      pipe(
        time.catchUp,
        respond(c, () => answerAdvance(c, time.advanceToNext())),
      ),
    )
}

const answerAdvance = (c: Context, advance: ReturnType<TestClockControl['advance']>): Response => {
  if (advance === null) return problem(c, 409, 'The clock is already being advanced.')
  c.header('content-type', 'application/json')
  // Headers and a blank are sent immediately, so that no client gives up during a long advance.
  return stream(c, async (out) => {
    await out.write(' ')
    const blanks = setInterval(() => void out.write(' '), KEEP_ALIVE)
    try {
      const advanced = await advance
      await out.write(
        E.isRight(advanced)
          ? JSON.stringify(advanced.right)
          : problemText(503, 'The service is temporarily unavailable. Try again.'),
      )
    } finally {
      clearInterval(blanks)
    }
  })
}

/**
 * What happened to an order and what will happen next, and copies of it up to one of its events.
 */
export const sandboxOrderRoutes = (services: SandboxServices) => {
  const { host, merchants, baseUrl, streams, ownOrder, streamOrder, demoOrder, sandbox, respond } =
    services
  const { records, messages } = sandbox.watch
  const parts = { host, merchants, records, messages }
  const timeline = readTimeline(parts)
  const lineEvents = followLines(host.store)

  const showTimeline = (findOrder: OrderAccess) => (c: Context) =>
    pipe(findOrder(c), TE.chainW(timeline), respond(c))

  const follow =
    (findOrder: OrderAccess, readAfter: (order: Order) => LiveSource['readAfter']) =>
    (c: Context) =>
      pipe(
        findOrder(c),
        respond(c, (order) =>
          respondStream(c, streams, order.placed.merchant.account, {
            readAfter: readAfter(order),
            mayRead: async () => E.isRight(await findOrder(c)()),
          }),
        ),
      )

  const timelineEvents = ({ placed }: Order) => countTimeline(parts, placed.orderRef)
  const fork = forkOrder(host, sinkUrl(baseUrl), sandbox.forks)

  const forkFrom =
    (findOrder: OrderAccess) =>
    (c: Context): Promise<Response> =>
      pipe(
        findOrder(c),
        TE.bindTo('original'),
        TE.bindW('request', () => decodeJson(c, ForkPayload)),
        TE.bindW('forked', ({ original, request: { at, apply, deliver } }) =>
          fork(original, { at, apply: apply ?? [], delivers: deliver ?? false }),
        ),
        respond(c, ({ original, request, forked: { placed, context } }) =>
          c.json(
            Forked.encode({
              order_ref: placed.orderRef,
              order_ref_1: context.references.first,
              forked_from: { order_ref: original.placed.orderRef, event: request.at },
            }),
            201,
          ),
        ),
      )

  return new Hono()
    .get('/sandbox/orders/:uuid/timeline', showTimeline(streamOrder))
    .get('/sandbox/orders/:uuid/timeline/events', follow(streamOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/timeline', showTimeline(demoOrder))
    .get('/sandbox/demo/orders/:uuid/timeline/events', follow(demoOrder, timelineEvents))
    .get('/sandbox/demo/orders/:uuid/history', (c) =>
      pipe(demoOrder(c), TE.chainW(withNewestLines(host.store)), TE.map(linesView), respond(c)),
    )
    .get('/sandbox/demo/orders/:uuid/history/events', follow(demoOrder, lineEvents))
    .post('/sandbox/orders/:uuid/forks', limitBody(), forkFrom(ownOrder))
    .post('/sandbox/demo/orders/:uuid/forks', limitBody(), forkFrom(demoOrder))
    .post(SINK_PATH, limitBody(), async (c) =>
      c.json(
        new URLSearchParams(await c.req.text()).get('event') === 'cancel'
          ? { result: 'cancelled' }
          : {},
      ),
    )
}
