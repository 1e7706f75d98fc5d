// Describes the routes in deliveries.ts for the OpenAPI document.
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
} from '@plazo/core'
import * as t from 'io-ts'
import { BODY_KIB_MAX } from '../../http/request.ts'
import { AT, ORDER_REF } from '../examples.ts'
import { answer, json, type Operations, type Setting, shopOf } from '../operation.ts'

const PATH = '/merchants/:ref/deliveries'

const attempt = { duration_ms: 12, status: 200, error: null, response: '' }

const delivery: DeliveryView = {
  id: `${ORDER_REF}:7:ipn`,
  event: 'ipn',
  order_ref: ORDER_REF,
  state: 'delivered',
  due_at: null,
  attempts: [{ n: 1, trigger: 'schedule', started_at: AT, outcome: 'accepted', ...attempt }],
}

export const deliveryOperations = (setting: Setting): Operations => ({
  [`GET ${PATH}`]: {
    id: 'listDeliveries',
    caller: 'merchant',
    title: 'See what was sent, with every attempt',
    description: `The newest ${PAGE_LIMIT_MAX}, newest last; the header Link leads on to older ones. A page has 2 MiB at most, or a single delivery.`,
    parameters: {
      order_ref: { in: 'query', description: 'Of this order alone.', codec: t.string, variable: 'ORDER' },
      state: { in: 'query', description: 'Of this state alone.', codec: DeliveryStateName, example: 'delivered' },
      before: { in: 'query', description: 'Older than this delivery, by its id.', codec: t.string },
      limit: { in: 'query', description: 'So many of the newest.', codec: PageLimit, example: '20' },
    },
    answers: {
      200: answer('The deliveries.', json(t.readonlyArray(DeliveryView), { 'an IPN': [delivery] }), {
        Link: 'Where there are older ones: their address, with rel="next".',
      }),
    },
    problems: { 400: 'state or limit is none, or before no delivery of the merchant’s.' },
  },
  [`POST ${PATH}/:id/resend`]: {
    id: 'resendDelivery',
    caller: 'merchant',
    title: 'Send a delivery again',
    description:
      'A pending one’s next attempt is made now. Any other is sent once more beside its schedule, and its answer counts only while the order still awaits it.',
    answers: { 202: answer('It will be sent.', json(ResendView, { resent: { id: delivery.id } })) },
    problems: {
      404: 'There is no such delivery.',
      409: 'Its order’s shopper is forgotten: what was to be sent is gone.',
    },
  },
  [`POST ${PATH}/recover`]: {
    id: 'recoverDeliveries',
    caller: 'merchant',
    title: 'Send again all that was not accepted since an instant',
    body: {
      kibMax: BODY_KIB_MAX,
      contents: [{ ...json(RecoverPayload), examples: { 'since an instant': { since: '2026-01-31T12:00:00Z' } } }],
    },
    answers: { 202: answer('So many are sent again.', json(RecoveryView, { two: { count: 2 } })) },
    problems: { 400: 'The body is no JSON object, or since no instant.' },
  },
  [`POST ${PATH}/example`]: {
    id: 'sendExample',
    caller: 'merchant',
    title: 'Try a receiver out with a signed example',
    description: 'It is made once, of an order that there is not, and nothing of it is kept.',
    body: {
      kibMax: BODY_KIB_MAX,
      contents: [
        json(ExamplePayload, {
          'a cancel request': { event: 'cancel', url: `${shopOf(setting)}/events` },
          'an IPN': { event: 'ipn', url: `${shopOf(setting)}/notify` },
        }),
      ],
    },
    answers: {
      200: answer(
        'What came back.',
        json(ExampleView, {
          accepted: {
            id: `${ORDER_REF}:1:example`,
            event: 'denied',
            url: `${shopOf(setting)}/events`,
            body: `charset=UTF-8&utf8=%E2%88%9A&event=denied&order_ref_1=EXAMPLE-1&order_ref_2=&order_ref=${ORDER_REF}`,
            outcome: 'accepted',
            ...attempt,
          },
        }),
      ),
    },
    problems: {
      400: 'The body is no JSON object, event is none, or url no URL.',
      409: 'The service does not call this URL.',
    },
  },
})
