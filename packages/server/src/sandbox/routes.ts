// Developers see in the sandbox what happens: the test data, the SMS that were sent, the webhooks, the
// clock and the timeline of an order. The demo merchant's orders are open, because everybody knows its
// password. An order of another merchant requires that merchant's credentials. Sandbox rules, Pages,
// Clock and Timeline.

import { SANDBOX_CODE, TEST_CARDS, TRIGGERS } from '@plazo/adapters/internal/sandbox'
import type { Timers } from '@plazo/adapters/internal/system'
import { explainOrder, type Order, orderNotFound } from '@plazo/core/internal'
import {
  AT,
  answer,
  followLines,
  HandlerError,
  HTML,
  json,
  jsonAnswer,
  jsonBodyOf,
  LinesView,
  ORDER_REF,
  orderOfMerchant,
  problemText,
  query,
  type Route,
  readLines,
  refused,
  route,
  UUID,
  value,
  wantsPage,
} from '@plazo/server/internal'
import * as E from 'fp-ts/lib/Either.js'
import { type Context, Hono } from 'hono'
import * as t from 'io-ts'
import { BEING_ADVANCED } from './clock/test-clock.ts'
import { DEMO_MERCHANT } from './demo-merchant.ts'
import { smsSent, streamWithBlanks } from './demo-orders.ts'
import { sendView } from './pages.ts'
import {
  Advanced,
  AdvancePayload,
  ClockView,
  SmsSent,
  Timeline,
  TriggerCatalogue,
} from './protocol.ts'
import { accessInSandbox, followRoute, SANDBOX, type SandboxServices } from './services.ts'
import { readTimeline, webhookEntries } from './timeline/timeline.ts'
import { readSentWebhooks } from './webhooks/sent-webhooks.ts'

const advanced = jsonAnswer('The jobs that became due.', Advanced, {
  fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] },
})

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

const orPage = (description: string) => `${description} A page, if the client accepts HTML.`

export const sandboxRoutes = (
  services: SandboxServices,
  timers: Pick<Timers, 'after'>,
): readonly Route[] => {
  const { host, access, messages, time } = services

  const move = async (c: Context, millis: number | null): Promise<Response> => {
    // The status of a move is sent before its first step.
    await value(host.store.nextDueAt())
    const text = time.advance(millis).then(
      (fired) => JSON.stringify(fired),
      () => problemText(503, 'The service is temporarily unavailable. Try again.'),
    )
    c.header('content-type', 'application/json')
    return streamWithBlanks(c, async (write) => {
      // Sends the headers.
      await write('\n')
      await write(await text)
    })
  }

  /** The order that the query names; null if it names none, on the page. */
  const readNamedOrder = async (c: Context): Promise<Order | null> => {
    const named = c.req.query('order_ref') ?? ''
    if (named === '' && wantsPage(c)) return null
    if (!UUID.test(named)) throw refused(400, 'order_ref must be the uuid of an order.')
    const found = await host.store.read(named.toLowerCase())()
    if (E.isRight(found) && found.right.placed.merchant.ref === DEMO_MERCHANT) return found.right
    const [{ username }] = await value(access.account(c))
    const order = await value(async () => found)
    if (order.placed.merchant.account !== username) throw new HandlerError(orderNotFound)
    return order
  }

  /** The answer that asks for a code is made before the code is sent. Waits up to a second for it. */
  const waitForSms = async (orderRef: string): Promise<void> => {
    for (let looks = 0; looks < 100; looks += 1) {
      const order = await value(host.store.read(orderRef))
      const { awaits } = await value(explainOrder(host)(order))
      if (awaits.every(({ what }) => what !== 'sms.accepted')) return
      await new Promise<void>((resolve) => timers.after(10, resolve))
    }
  }

  return [
    route('GET /sandbox/triggers', 'listTriggers', 'List the test triggers', {
      access: SANDBOX,
      ok: answer(orPage('The surnames, the code and the cards of each outcome.'), {
        ...json(TriggerCatalogue),
        ...HTML,
      }),
      handle: (_access, _body, c) => (wantsPage(c) ? sendView(c, services) : catalogue),
    }),
    route('GET /sandbox/messages', 'listMessages', 'List the SMS that were sent', {
      access: SANDBOX,
      description: 'Waits up to 1 s for a code that is still being sent.',
      parameters: {
        order_ref: query('The order’s uuid.', { required: true }),
      },
      ok: answer(orPage('Oldest first.'), {
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
        if (order === null || wantsPage(c)) return sendView(c, services)
        const { orderRef } = order.placed
        await waitForSms(orderRef)
        return (await value(messages(orderRef))).map(smsSent)
      },
    }),
    route('GET /sandbox/clock', 'showClock', 'Get the service’s time', {
      access: SANDBOX,
      description: 'While it moves, moving says where to, and how many jobs have run so far.',
      ok: answer(orPage('Now.'), {
        ...json(ClockView, {
          now: { now: AT },
          'on its way': { now: AT, moving: { to: '2026-02-07T12:00:00.000Z', fired: 1_234 } },
        }),
        ...HTML,
      }),
      handle: (_access, _body, c) => (wantsPage(c) ? sendView(c, services) : time.view()),
    }),
    route('POST /sandbox/clock/advance', 'advanceClock', 'Advance the service’s clock', {
      access: SANDBOX,
      description:
        'Runs each job that becomes due, in order. While it takes long, blanks come before the JSON.',
      body: jsonBodyOf(AdvancePayload, {
        'only what is due now': { seconds: 0 },
        'a minute': { seconds: 60 },
      }),
      ok: advanced,
      problems: {
        400: 'The body or seconds is invalid, or the clock would pass the year 9999.',
        409: BEING_ADVANCED,
      },
      handle: (_, { seconds }, c) => {
        const millis = Math.round(seconds * 1000)
        if (time.now() + millis >= END_OF_TIME)
          throw refused(400, 'seconds must not move the clock past the year 9999.')
        return move(c, millis)
      },
    }),
    route('POST /sandbox/clock/next', 'advanceClockToNext', 'Advance the clock to the next job', {
      access: SANDBOX,
      description: 'To the instant at which the next job is due, of any order, and runs it.',
      ok: advanced,
      problems: { 409: BEING_ADVANCED },
      handle: (_access, _body, c) => move(c, null),
    }),
    ...timelineRoutes(services),
  ]
}

const timelineRoutes = (services: SandboxServices): readonly Route[] => {
  const { host, byOwner } = services
  const demo = accessInSandbox(orderOfMerchant(host, DEMO_MERCHANT))
  const read = readTimeline(services)
  const owners = [
    { path: '/sandbox', of: '', as: '', access: byOwner },
    { path: '/sandbox/demo', of: 'Demo', as: ' of demo', access: demo },
  ]
  const history = 'GET /sandbox/demo/orders/:uuid/history'
  return [
    ...owners.flatMap(({ path, of, as, access }) => {
      const call = `GET ${path}/orders/:uuid/timeline` as const
      return [
        route(call, `show${of}Timeline`, `Get the timeline of an order${as}`, {
          access,
          ok: jsonAnswer('Everything so far, oldest first, and what comes next.', Timeline),
          handle: read,
        }),
        followRoute(services, `${call}/events`, `follow${of}Timeline`, `Follow the timeline${as}`, {
          access,
          description:
            'An event named timeline whenever there is something new. Its id and its data count the entries.',
          follow: (order) => ({
            account: order.placed.merchant.account,
            readAfter: async (after) => {
              const timeline = await read(order).catch(() => null)
              const count = timeline?.entries.length ?? null
              if (count === null) return null
              return count === after ? [] : [{ id: count, type: 'timeline', data: { count } }]
            },
          }),
        }),
      ]
    }),
    route(history, 'showDemoHistory', 'Get the history of an order of demo', {
      access: demo,
      ok: jsonAnswer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        LinesView,
      ),
      handle: readLines(host.store),
    }),
    followRoute(services, `${history}/events`, 'followDemoHistory', 'Follow the history of demo', {
      access: demo,
      description: 'An event named line for each line of the history. Its id is the line’s number.',
      follow: (order) => ({
        account: order.placed.merchant.account,
        readAfter: followLines(host.store)(order),
      }),
    }),
  ]
}

const WEBHOOKS_SHOWN = 50

/** A merchant's webhooks. The demo merchant's are open. */
export const webhooksPages = (services: SandboxServices): Hono => {
  const show = async (c: Context, merchantRef: string): Promise<Response> => {
    if (c.req.header('accept') !== 'application/json') return sendView(c, services)
    const filter = { merchantRef, orderRef: null, limit: WEBHOOKS_SHOWN }
    const webhooks = await readSentWebhooks(services)(filter)
    const entries = webhooks.flatMap((webhook) =>
      webhookEntries(webhook).map((entry) => ({ ...entry, order_ref: webhook.orderRef })),
    )
    return c.json({ merchant_ref: merchantRef, entries: entries.toReversed() })
  }
  return new Hono()
    .get('/sandbox/demo/webhooks', (c) => show(c, DEMO_MERCHANT))
    .get('/sandbox/webhooks', async (c) => {
      // A browser sends no merchant header.
      const merchant = c.req.query('merchant') || null
      const { ref } = await value(services.access.merchant(c, merchant))
      return show(c, ref)
    })
}
