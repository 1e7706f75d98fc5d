// Developers read here how they move time, read the sent codes and the test triggers, and place an
// order as the demo merchant. They see everything that happens to an order, and copy it up to one
// of its events, to see how else it might go on.
import {
  Advanced,
  AdvancePayload,
  ClockView,
  DemoOrderPayload,
  DemoOrderPlaced,
  Forked,
  ForkPayload,
  OrderView,
  SmsSent,
  StateRunPayload,
  StateRunProgress,
  Timeline,
  TriggerCatalogue,
} from '@plazo/core/protocol'
import * as t from 'io-ts'
import { LinesView } from '../../../live/order-lines.ts'
import { AT } from '../examples.ts'
import {
  answer,
  call,
  EVENT_STREAM,
  HTML,
  json,
  jsonAnswer,
  jsonRequest,
  merchantHeader,
  type Operations,
  ORDER_REF,
  PAGE,
  query,
  type Setting,
} from '../operation.ts'

const ALSO_A_PAGE = 'A page, if the client accepts HTML.'

const advanced = jsonAnswer('The jobs that became due.', Advanced, {
  fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] },
})

const stream = (description: string) => ({
  description,
  parameters: { after: query('The id of the last event that the reader has.') },
  ok: answer('Server-sent events, until the reader leaves.', EVENT_STREAM),
  problems: {
    400: 'after is not the number of an event.',
    429: 'The account follows too many orders at once.',
  },
})

const TIMELINE = {
  description:
    'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
  ok: jsonAnswer('Everything so far.', Timeline),
}

const TIMELINE_EVENTS = stream(
  'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.',
)

const FORK = {
  description:
    'Copies the order up to one of its events into a new order, which continues from there. The fork calls no merchant unless deliver is true.',
  body: jsonRequest(ForkPayload, {
    'at its first event': { at: 1 },
    'that calls the merchant': { at: 1, deliver: true },
  }),
  answers: {
    201: jsonAnswer('Forked.', Forked, {
      forked: {
        order_ref: 'a3c2f5b0-53a5-4c11-9f0e-6a1d2b7c9e44',
        order_ref_1: 'A-1001-fork-a3c2f5b0',
        forked_from: { order_ref: ORDER_REF, event: 1 },
      },
    }),
  },
  problems: {
    409: 'The order has no such event, its shopper was erased, or its journal is no longer complete.',
  },
}

const DEMO = '/sandbox/demo/orders'

export const sandboxOperations = (setting: Setting): Operations => ({
  'GET /sandbox/lender': call.frontend(
    'showLender',
    'Read the placeholder of the lender’s documents',
    {
      ok: answer('The page, in the language of Accept-Language.', HTML),
    },
  ),
  'GET /sandbox/triggers': call.sandbox('listTriggers', 'List the test triggers', {
    description: 'The surnames, the one-time code and the cards that trigger each outcome.',
    ok: answer(`The catalogue. ${ALSO_A_PAGE}`, [json(TriggerCatalogue), HTML]),
  }),
  'GET /sandbox/messages': call.sandbox('listMessages', 'List the SMS that were sent', {
    description:
      'Waits up to 1 s for a code that is still being sent. The page shows the demo merchant’s newest orders if order_ref is missing; an order of another merchant requires that merchant’s credentials there.',
    parameters: {
      order_ref: query('The order’s uuid.', { isRequired: true, variable: 'ORDER' }),
    },
    ok: answer(`Oldest first. ${ALSO_A_PAGE}`, [
      json(t.readonlyArray(SmsSent), {
        'a code': [{ at: AT, to: '600123456', text: 'Your code is 04711.', code: '04711' }],
      }),
      HTML,
    ]),
    problems: {
      400: 'order_ref is missing, or not a uuid.',
      401: 'Only orders of demo are open. Any other order requires its merchant’s credentials.',
      404: 'The order is not the caller’s.',
    },
  }),
  'GET /sandbox/clock': call.sandbox('showClock', 'Get the service’s time', {
    description: 'While the clock moves, moving says where to, and how many jobs have run so far.',
    ok: answer(`Now. ${ALSO_A_PAGE}`, [
      json(ClockView, {
        now: { now: AT },
        'on its way': { now: AT, moving: { to: '2026-02-07T12:00:00.000Z', fired: 1_234 } },
      }),
      HTML,
    ]),
  }),
  'POST /sandbox/clock/advance': call.sandbox('advanceClock', 'Advance the service’s clock', {
    description:
      'Runs each job that becomes due, in order, and answers afterwards. Blanks come before the JSON while it takes long; GET /sandbox/clock shows how far it is.',
    body: jsonRequest(AdvancePayload, {
      'only what is due now': { seconds: 0 },
      'a minute': { seconds: 60 },
    }),
    ok: advanced,
    problems: {
      400: 'The body or seconds is invalid, or the clock would pass the year 9999.',
      409: 'The clock is already being advanced.',
    },
  }),
  'POST /sandbox/clock/next': call.sandbox(
    'advanceClockToNext',
    'Advance the service’s clock to the next job',
    {
      description:
        'Moves the clock to the instant at which the next job is due, of any order, and runs it.',
      ok: advanced,
      problems: { 409: 'The clock is already being advanced.' },
    },
  ),
  'GET /': call.sandbox('frontPage', 'Open the front page', {
    description: 'Buy in the demo shop, and watch the order.',
    parameters: {
      person: query('The surnames of the shopper who is chosen first.'),
      order: query('The uuid of an order of demo that is shown.'),
    },
    ok: PAGE,
  }),
  [`GET ${DEMO}`]: call.sandbox('listDemoOrders', 'List the demo merchant’s recent orders', {
    ok: jsonAnswer('The newest first, at most 20.', t.readonlyArray(OrderView)),
  }),
  [`POST ${DEMO}`]: call.sandbox('placeDemoOrder', 'Place an order as the demo merchant', {
    description: 'The same as POST /orders with the credentials of demo, in one line.',
    body: jsonRequest(DemoOrderPayload, { 'pay in instalments': { product: 'pp3' } }),
    answers: {
      201: jsonAnswer('The uuid of the order and its checkout.', DemoOrderPlaced, {
        placed: { order_ref: ORDER_REF },
      }),
    },
    problems: {
      400: 'The body is invalid.',
      404: 'The merchant demo does not exist.',
      409: 'The order is refused.',
    },
  }),
  'POST /sandbox/demo/runs': call.sandbox('runToState', 'Bring an order of demo to a state', {
    description:
      'Places an order, and goes the shortest way to the state as the shopper, the demo shop and the operator. It moves the clock, for all orders.',
    body: jsonRequest(StateRunPayload, { reviewing: { state: 'checkout.open.reviewing' } }),
    ok: answer('A line of JSON after each step. The last one has the status reached or failed.', {
      mediaType: 'application/x-ndjson',
      codecs: [StateRunProgress],
      examples: {},
    }),
    problems: { 400: 'state is not the id of an inner state.' },
  }),
  [`GET ${DEMO}/:uuid/timeline`]: call.sandbox(
    'showDemoTimeline',
    'Get the timeline of an order of demo',
    TIMELINE,
  ),
  [`GET ${DEMO}/:uuid/timeline/events`]: call.sandbox(
    'followDemoTimeline',
    'Follow the timeline of an order of demo',
    TIMELINE_EVENTS,
  ),
  [`GET ${DEMO}/:uuid/history`]: call.sandbox(
    'showDemoHistory',
    'Get the history of an order of demo',
    {
      ok: jsonAnswer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        LinesView,
      ),
    },
  ),
  [`GET ${DEMO}/:uuid/history/events`]: call.sandbox(
    'followDemoHistory',
    'Follow the history of an order of demo',
    stream('An event named line for each line of the history. Its id is the number of the line.'),
  ),
  'GET /sandbox/orders/:uuid/timeline': call.merchant(
    'showTimeline',
    'Get the timeline of an order',
    TIMELINE,
  ),
  'GET /sandbox/orders/:uuid/timeline/events': call.merchant(
    'followTimeline',
    'Follow the timeline of an order',
    TIMELINE_EVENTS,
  ),
  'POST /sandbox/orders/:uuid/forks': call.merchant('forkOrder', 'Fork an order', {
    ...FORK,
    parameters: merchantHeader(setting),
  }),
  'POST /sandbox/demo/orders/:uuid/forks': call.sandbox(
    'forkDemoOrder',
    'Fork an order of the demo merchant',
    FORK,
  ),
  'POST /sandbox/sink': call.sandbox(
    'sink',
    'Receive the requests of a fork that calls no merchant',
    {
      description:
        'Accepts every IPN and every event of up to 64 KiB, and agrees to every cancellation.',
      ok: jsonAnswer('Accepted.', t.partial({ result: t.string }), {
        cancelled: { result: 'cancelled' },
      }),
    },
  ),
})
