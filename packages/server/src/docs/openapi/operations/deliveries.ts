// Shops read here how they find a delivery that they missed, and have it sent again.
import {
  DeliveryStateName,
  DeliveryView,
  ExamplePayload,
  ExampleView,
  PAGE_LIMIT_MAX,
  PageLimit,
  RecoverPayload,
  RecoveryView,
  ResendView,
} from '@plazo/core/protocol'
import * as t from 'io-ts'
import { AT } from '../examples.ts'
import {
  answer,
  call,
  json,
  jsonAnswer,
  jsonRequest,
  type Operations,
  ORDER_REF,
  query,
  type Setting,
  shopOf,
} from '../operation.ts'

const PATH = '/merchants/:ref/deliveries'

const attempt = { duration_ms: 12, status: 200, error: null, error_reason: null, response: '' }

const delivery: DeliveryView = {
  id: `${ORDER_REF}:7:ipn`,
  event: 'ipn',
  order_ref: ORDER_REF,
  state: 'delivered',
  due_at: null,
  attempts: [{ n: 1, trigger: 'schedule', started_at: AT, outcome: 'accepted', ...attempt }],
}

export const deliveryOperations = (setting: Setting): Operations => ({
  [`GET ${PATH}`]: call.merchant('listDeliveries', 'List deliveries with every attempt', {
    description: `The newest ${PAGE_LIMIT_MAX}, newest last. The header Link leads to older ones. A page has at most 2 MiB, or a single delivery.`,
    parameters: {
      order_ref: query('Only of this order.', { variable: 'ORDER' }),
      state: query('Only of this state.', { codec: DeliveryStateName, example: 'delivered' }),
      before: query('Only deliveries older than the one with this id.'),
      limit: query('At most this many, the newest.', { codec: PageLimit, example: '20' }),
    },
    ok: answer('The deliveries.', json(t.readonlyArray(DeliveryView), { 'an IPN': [delivery] }), {
      Link: 'If there are older ones: their address, with rel="next".',
    }),
    problems: { 400: 'Invalid state, limit or before.' },
  }),
  [`POST ${PATH}/:id/resend`]: call.merchant('resendDelivery', 'Send a delivery again', {
    description:
      'A pending delivery is tried again now. Any other delivery is sent once more, outside its schedule. Its answer counts only while the order still waits for it.',
    answers: {
      202: jsonAnswer('The delivery will be sent.', ResendView, { resent: { id: delivery.id } }),
    },
    problems: {
      404: 'Delivery not found.',
      409: 'The shopper’s data was erased, including this message.',
    },
  }),
  [`POST ${PATH}/recover`]: call.merchant(
    'recoverDeliveries',
    'Resend all deliveries not accepted since an instant',
    {
      body: jsonRequest(RecoverPayload, { 'since an instant': { since: '2026-01-31T12:00:00Z' } }),
      answers: {
        202: jsonAnswer('The number of deliveries that are sent again.', RecoveryView, {
          two: { count: 2 },
        }),
      },
      problems: { 400: 'The body or since is invalid.' },
    },
  ),
  [`POST ${PATH}/example`]: call.merchant('sendExample', 'Test a receiver with a signed example', {
    description: 'Sends one request about an invented order. Nothing is stored.',
    body: jsonRequest(ExamplePayload, {
      'a cancel request': { event: 'cancel', url: `${shopOf(setting)}/events` },
      'an IPN': { event: 'ipn', url: `${shopOf(setting)}/notify` },
    }),
    ok: jsonAnswer('The receiver’s response.', ExampleView, {
      accepted: {
        id: `${ORDER_REF}:1:example`,
        event: 'denied',
        url: `${shopOf(setting)}/events`,
        body: `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=EXAMPLE-1&order_ref_2=&order_ref=${ORDER_REF}`,
        outcome: 'accepted',
        ...attempt,
      },
    }),
    problems: {
      400: 'The body, event or url is invalid.',
      409: 'The service does not call this URL.',
    },
  }),
})
