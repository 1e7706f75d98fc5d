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
import { ORDER_REF } from '../examples.ts'
import { answer, body, HTML, json, NO_ORDER, type Operation, type Operations, text } from '../operation.ts'

const EVENTS = text('text/event-stream')

const streamOperation = (own: Pick<Operation, 'id' | 'caller' | 'title' | 'description'>): Operation => ({
  ...own,
  parameters: {
    after: { in: 'query', description: 'The id of the last event that the reader has.', codec: t.string },
  },
  answers: { 200: answer('Server-sent events, until the reader leaves.', EVENTS) },
  problems: {
    400: 'after is not the number of an event.',
    404: NO_ORDER,
    429: 'The account follows too many orders at once.',
  },
})

const timeline = (own: Pick<Operation, 'id' | 'caller' | 'title'>): Operation => ({
  ...own,
  description:
    'The requests with their bodies, the answers of providers, the SMS, the webhooks as they were sent with the answer of the shop, the steps of the order, and what it waits for. Card numbers show four digits.',
  answers: { 200: answer('Everything so far.', json(Timeline)) },
  problems: { 404: NO_ORDER },
})

const COUNTS =
  'An event named timeline whenever the timeline has something new. Its id and its data count the entries. Read the timeline again then.'

const DEMO = '/sandbox/demo/orders'

export const sandboxOrderOperations: Operations = {
  'GET /': {
    id: 'frontPage',
    caller: 'sandbox',
    title: 'Open the front page',
    description: 'Buy in the demo shop, and watch the order.',
    parameters: {
      person: { in: 'query', description: 'The surnames of the shopper who is chosen first.', codec: t.string },
      order: { in: 'query', description: 'The uuid of an order of demo that is shown.', codec: t.string },
    },
    answers: { 200: answer('The page.', HTML) },
  },
  [`GET ${DEMO}`]: {
    id: 'listDemoOrders',
    caller: 'sandbox',
    title: 'List the demo merchant’s recent orders',
    answers: { 200: answer('The newest first, at most 20.', json(t.readonlyArray(OrderView))) },
  },
  [`POST ${DEMO}`]: {
    id: 'placeDemoOrder',
    caller: 'sandbox',
    title: 'Place an order as the demo merchant',
    description: 'The same as POST /orders with the credentials of demo, in one line.',
    body: body(json(DemoOrderPayload, { 'pay in instalments': { product: 'pp3' } })),
    answers: {
      201: answer(
        'The uuid of the order and its checkout.',
        json(DemoOrderPlaced, { placed: { order_ref: ORDER_REF } }),
      ),
    },
    problems: { 400: 'The body is invalid.', 404: 'The merchant demo does not exist.', 409: 'The order is refused.' },
  },
  'POST /sandbox/demo/runs': {
    id: 'runToState',
    caller: 'sandbox',
    title: 'Bring an order of demo to a state',
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
  },
  [`GET ${DEMO}/:uuid/timeline`]: timeline({
    id: 'showDemoTimeline',
    caller: 'sandbox',
    title: 'Get the timeline of an order of demo',
  }),
  [`GET ${DEMO}/:uuid/timeline/events`]: streamOperation({
    id: 'followDemoTimeline',
    caller: 'sandbox',
    title: 'Follow the timeline of an order of demo',
    description: COUNTS,
  }),
  [`GET ${DEMO}/:uuid/history`]: {
    id: 'showDemoHistory',
    caller: 'sandbox',
    title: 'Get the history of an order of demo',
    answers: {
      200: answer(
        'The order, and the newest 1,000 lines of its history. is_cut: there are older ones.',
        json(t.strict({ order: OrderView, history: History, is_cut: t.boolean })),
      ),
    },
    problems: { 404: NO_ORDER },
  },
  [`GET ${DEMO}/:uuid/history/events`]: streamOperation({
    id: 'followDemoHistory',
    caller: 'sandbox',
    title: 'Follow the history of an order of demo',
    description: 'An event named line for each line of the history. Its id is the number of the line.',
  }),
  'GET /sandbox/orders/:uuid/timeline': timeline({
    id: 'showTimeline',
    caller: 'merchant',
    title: 'Get the timeline of an order',
  }),
  'GET /sandbox/orders/:uuid/timeline/events': streamOperation({
    id: 'followTimeline',
    caller: 'merchant',
    title: 'Follow the timeline of an order',
    description: COUNTS,
  }),
}
