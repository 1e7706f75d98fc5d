// Developers see in the sandbox what happens: the test data, the SMS that were sent and the clock.
// The demo merchant's orders are open, because everybody knows its password. An order of another
// merchant requires that merchant's credentials. Sandbox rules, Pages and Clock.

import { SANDBOX_CODE, TEST_CARDS, TRIGGERS } from '@plazo/adapters/sandbox'
import { explainOrder, type Order, orderView } from '@plazo/core'
import { orderNotFound } from '@plazo/core/ports'
import {
  AT,
  answer,
  HandlerError,
  HTML,
  json,
  jsonAnswer,
  jsonBodyOf,
  ORDER_REF,
  problem,
  problemText,
  query,
  type Route,
  requestError,
  rootFrom,
  route,
  UUID,
  value,
  wantsPage,
} from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { SANDBOX } from './access.ts'
import { streamWithBlanks } from './blanks.ts'
import { clockPage } from './clock/page.ts'
import type { TestClockControl } from './clock/test-clock.ts'
import { isOfDemo, newestOfDemo } from './front-page/routes.ts'
import { sendToolPage } from './layout.ts'
import { messagesPage } from './messages-page.ts'
import { Advanced, AdvancePayload, ClockView, SmsSent, TriggerCatalogue } from './protocol.ts'
import type { SandboxServices } from './services.ts'
import { upcomingOf } from './timeline/timeline.ts'
import { triggersPage } from './triggers-page.ts'

const ALSO_A_PAGE = 'A page, if the client accepts HTML.'

const advanced = jsonAnswer('The jobs that became due.', Advanced, {
  fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] },
})

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

const NOT_A_UUID = 'order_ref must be the uuid of an order.'

export const sandboxRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, access, messages, sentMessages, time } = services

  /**
   * Everybody may see an order of the demo merchant. For any other uuid, the credentials of its
   * merchant are required.
   */
  const orderFor = async (c: Context, orderRef: string): Promise<Order> => {
    const read = await host.store.read(orderRef)()
    if (E.isRight(read) && isOfDemo(read.right)) return read.right
    if (E.isLeft(read) && read.left._tag === 'Unavailable') throw new HandlerError(read.left)
    const [{ username }] = await value(access.account(c))
    const order = await value(async () => read)
    if (order.placed.merchant.account !== username) throw new HandlerError(orderNotFound)
    return order
  }

  /** The order that the query names; null if it names none, on the page. */
  const readNamedOrder = async (c: Context): Promise<Order | null> => {
    const named = c.req.query('order_ref') ?? ''
    if (UUID.test(named)) return orderFor(c, named.toLowerCase())
    if (named !== '') throw new HandlerError(requestError(400, NOT_A_UUID))
    if (wantsPage(c)) return null
    throw new HandlerError(requestError(400, `order_ref is missing. ${NOT_A_UUID}`))
  }

  const messagesTo = async (order: Order) =>
    (await value(sentMessages(order.placed.orderRef))).map((message) => ({
      message,
      order: orderView(order),
    }))

  const showMessages = async (c: Context, order: Order | null): Promise<Response> => {
    const orders = order === null ? await newestOfDemo(host.store) : [order]
    const sms = (await Promise.all(orders.map(messagesTo))).flat()
    const newestFirst = sms.toSorted((one, other) => other.message.at - one.message.at)
    const body = messagesPage({
      root: rootFrom(c),
      order: order && orderView(order),
      messages: newestFirst.slice(0, SHOWN_MAX),
    })
    return sendToolPage(c, {
      current: 'messages',
      title: 'SMS',
      body,
      sheet: 'sandbox/messages.css',
      script: 'live-list',
      hasForms: true,
    })
  }

  const listMessages = async ({ placed }: Order): Promise<readonly SmsSent[]> =>
    (await value(messages(placed.orderRef))).map(({ at, to, text, code }) => ({
      at: new Date(at).toISOString(),
      to,
      text,
      code,
    }))

  const jobsOf = async (order: Order) => {
    const explanation = await value(explainOrder(host)(order))
    return upcomingOf(order, explanation, host.clock.now()).map((job) => ({
      order: orderView(order),
      job,
    }))
  }

  const showClock = async (c: Context): Promise<Response> => {
    const orders = await newestOfDemo(host.store)
    const jobs = (await Promise.all(orders.map(jobsOf))).flat()
    const now = host.clock.now()
    const body = clockPage({
      root: rootFrom(c),
      now,
      nextDueAt: await value(host.store.nextDueAt(now)),
      upcoming: jobs
        .toSorted((one, other) => (one.job.at < other.job.at ? -1 : 1))
        .slice(0, SHOWN_MAX),
    })
    return sendToolPage(c, {
      current: 'clock',
      title: 'Clock',
      body,
      sheet: 'sandbox/clock/style.css',
      script: 'sandbox-clock',
    })
  }

  // The status of a move is sent before its first step.
  const storeAnswers = host.store.nextDueAt()

  return [
    route('GET /sandbox/triggers', 'listTriggers', 'List the test triggers', {
      access: SANDBOX,
      description: 'The surnames, the one-time code and the cards that trigger each outcome.',
      ok: answer(`The catalogue. ${ALSO_A_PAGE}`, { ...json(TriggerCatalogue), ...HTML }),
      handle: (_access, _body, c) =>
        wantsPage(c)
          ? sendToolPage(c, {
              current: 'triggers',
              title: 'Test data',
              body: triggersPage(rootFrom(c)),
              sheet: 'sandbox/triggers.css',
              script: 'copy-buttons',
            })
          : catalogue,
    }),
    route('GET /sandbox/messages', 'listMessages', 'List the SMS that were sent', {
      access: SANDBOX,
      description:
        'Waits up to 1 s for a code that is still being sent. The page shows the demo merchant’s newest orders if order_ref is missing; an order of another merchant requires that merchant’s credentials there.',
      parameters: {
        order_ref: query('The order’s uuid.', { required: true, variable: 'ORDER' }),
      },
      ok: answer(`Oldest first. ${ALSO_A_PAGE}`, {
        ...json(t.readonlyArray(SmsSent), {
          'a code': [{ at: AT, to: '600123456', text: 'Your code is 04711.', code: '04711' }],
        }),
        ...HTML,
      }),
      problems: {
        400: 'order_ref is missing, or not a uuid.',
        401: 'Only orders of demo are open. Any other order requires its merchant’s credentials.',
        404: 'The order is not the caller’s.',
      },
      handle: async (_access, _body, c) => {
        const order = await readNamedOrder(c)
        return order === null || wantsPage(c) ? showMessages(c, order) : listMessages(order)
      },
    }),
    route('GET /sandbox/clock', 'showClock', 'Get the service’s time', {
      access: SANDBOX,
      description:
        'While the clock moves, moving says where to, and how many jobs have run so far.',
      ok: answer(`Now. ${ALSO_A_PAGE}`, {
        ...json(ClockView, {
          now: { now: AT },
          'on its way': { now: AT, moving: { to: '2026-02-07T12:00:00.000Z', fired: 1_234 } },
        }),
        ...HTML,
      }),
      handle: (_access, _body, c) => (wantsPage(c) ? showClock(c) : time.view()),
    }),
    route('POST /sandbox/clock/advance', 'advanceClock', 'Advance the service’s clock', {
      access: SANDBOX,
      description:
        'Runs each job that becomes due, in order, and answers afterwards. Blanks come before the JSON while it takes long; GET /sandbox/clock shows how far it is.',
      body: jsonBodyOf(AdvancePayload, {
        'only what is due now': { seconds: 0 },
        'a minute': { seconds: 60 },
      }),
      ok: advanced,
      problems: {
        400: 'The body or seconds is invalid, or the clock would pass the year 9999.',
        409: BEING_ADVANCED,
      },
      handle: async (_, { seconds }, c) => {
        await value(storeAnswers)
        const millis = Math.round(seconds * 1000)
        if (time.now() + millis >= END_OF_TIME)
          throw new HandlerError(
            requestError(400, 'seconds must not move the clock past the year 9999.'),
          )
        return answerAdvance(c, time.advance(millis))
      },
    }),
    route(
      'POST /sandbox/clock/next',
      'advanceClockToNext',
      'Advance the service’s clock to the next job',
      {
        access: SANDBOX,
        description:
          'Moves the clock to the instant at which the next job is due, of any order, and runs it.',
        ok: advanced,
        problems: { 409: BEING_ADVANCED },
        handle: async (_access, _body, c) => {
          await value(storeAnswers)
          return answerAdvance(c, time.advanceToNext())
        },
      },
    ),
  ]
}

const BEING_ADVANCED = 'The clock is already being advanced.'

const answerAdvance = (c: Context, advance: ReturnType<TestClockControl['advance']>): Response => {
  if (advance === null) return problem(c, 409, BEING_ADVANCED)
  c.header('content-type', 'application/json')
  // Headers and a blank are sent immediately, so that no client gives up during a long advance.
  return streamWithBlanks(c, ' ', async (write) => {
    await write(' ')
    const moved = await advance
    await write(
      E.isRight(moved)
        ? JSON.stringify(moved.right)
        : problemText(503, 'The service is temporarily unavailable. Try again.'),
    )
  })
}
