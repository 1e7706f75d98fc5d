// Developers read here how they place an order as the demo merchant, and see everything that happens to an order in the sandbox.
import {
  DemoOrderPayload,
  DemoOrderPlaced,
  History,
  OrderView,
  StateRunPayload,
  StateRunProgress,
  Timeline,
} from '@plazo/core'
import * as t from 'io-ts'
import {
  answer,
  body,
  EVENT_STREAM,
  json,
  merchantCall,
  NO_ORDER,
  type Operations,
  ORDER_REF,
  PAGE,
  query,
  sandboxCall,
} from '../operation.ts'

const stream = (description: string) => ({
  description,
  parameters: { after: query('The id of the last event that the reader has.') },
  answers: { 200: answer('Server-sent events, until the reader leaves.', EVENT_STREAM) },
  problems: {
    400: 'after is not the number of an event.',
    404: NO_ORDER,
    429: 'The account follows too many orders at once.',
  },
})

const TIMELINE = {
  description:
    'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
  answers: { 200: answer('Everything so far.', json(Timeline)) },
  problems: { 404: NO_ORDER },
}

const TIMELINE_EVENTS = stream(
  'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.',
)

const DEMO = '/sandbox/demo/orders'

export const sandboxOrderOperations: Operations = {
  'GET /': sandboxCall('frontPage', 'Open the front page', {
    description: 'Buy in the demo shop, and watch the order.',
    parameters: {
      person: query('The surnames of the shopper who is chosen first.'),
      order: query('The uuid of an order of demo that is shown.'),
    },
    answers: { 200: PAGE },
  }),
  [`GET ${DEMO}`]: sandboxCall('listDemoOrders', 'List the demo merchant’s recent orders', {
    answers: { 200: answer('The newest first, at most 20.', json(t.readonlyArray(OrderView))) },
  }),
  [`POST ${DEMO}`]: sandboxCall('placeDemoOrder', 'Place an order as the demo merchant', {
    description: 'The same as POST /orders with the credentials of demo, in one line.',
    body: body(json(DemoOrderPayload, { 'pay in instalments': { product: 'pp3' } })),
    answers: {
      201: answer(
        'The uuid of the order and its checkout.',
        json(DemoOrderPlaced, { placed: { order_ref: ORDER_REF } }),
      ),
    },
    problems: { 400: 'The body is invalid.', 404: 'The merchant demo does not exist.', 409: 'The order is refused.' },
  }),
  'POST /sandbox/demo/runs': sandboxCall('runToState', 'Bring an order of demo to a state', {
    description:
      'Places an order, and goes the shortest way to the state as the shopper, the demo shop and the operator. It moves the clock, for all orders.',
    body: body(json(StateRunPayload, { reviewing: { state: 'checkout.open.reviewing' } })),
    answers: {
      200: answer('A line of JSON after each step. The last one has the status reached or failed.', {
        mediaType: 'application/x-ndjson',
        codecs: [StateRunProgress],
        examples: {},
      }),
    },
    problems: { 400: 'state is not the id of an inner state.' },
  }),
  [`GET ${DEMO}/:uuid/timeline`]: sandboxCall('showDemoTimeline', 'Get the timeline of an order of demo', TIMELINE),
  [`GET ${DEMO}/:uuid/timeline/events`]: sandboxCall(
    'followDemoTimeline',
    'Follow the timeline of an order of demo',
    TIMELINE_EVENTS,
  ),
  [`GET ${DEMO}/:uuid/history`]: sandboxCall('showDemoHistory', 'Get the history of an order of demo', {
    answers: {
      200: answer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        json(t.strict({ order: OrderView, history: History, is_cut: t.boolean })),
      ),
    },
    problems: { 404: NO_ORDER },
  }),
  [`GET ${DEMO}/:uuid/history/events`]: sandboxCall(
    'followDemoHistory',
    'Follow the history of an order of demo',
    stream('An event named line for each line of the history. Its id is the number of the line.'),
  ),
  'GET /sandbox/orders/:uuid/timeline': merchantCall('showTimeline', 'Get the timeline of an order', TIMELINE),
  'GET /sandbox/orders/:uuid/timeline/events': merchantCall(
    'followTimeline',
    'Follow the timeline of an order',
    TIMELINE_EVENTS,
  ),
}
