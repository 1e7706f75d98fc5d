// How `plazo listen` forwards deliveries. Developers use the command; these routes are for their own tools.
import { type ForwardedDelivery as Delivery, ForwardedAnswer, ForwardedDelivery } from '@plazo/core'
import {
  answer,
  body,
  EVENT_STREAM,
  json,
  merchantCall,
  merchantHeader,
  type Operations,
  ORDER_REF,
  type Setting,
} from '../operation.ts'

const DELIVERY: Delivery = {
  number: 1,
  endpoint: 'events',
  event: 'denied',
  url: 'https://shop.example/events',
  headers: { 'Webhook-Id': `${ORDER_REF}:7:notice` },
  body: `event=denied&order_ref=${ORDER_REF}`,
}

const NOT_WAITING = 'No delivery with this number waits for an answer.'

export const listenOperations = (setting: Setting): Operations => {
  const own = { parameters: merchantHeader(setting), isSampled: false } as const
  return {
    'GET /sandbox/listen': merchantCall('listen', 'Receive the merchant’s deliveries over this connection', {
      ...own,
      description:
        'Server-sent events of type delivery, with the number of each. While the stream is open, nothing is sent to the URLs of the merchant.',
      answers: { 200: answer('The stream.', EVENT_STREAM) },
      problems: { 400: 'after is not a number.', 429: 'Too many streams are open.' },
    }),
    'GET /sandbox/listen/:number': merchantCall('showForwarded', 'Get a delivery that waits for an answer', {
      ...own,
      answers: { 200: answer('The delivery.', json(ForwardedDelivery, { 'an event': DELIVERY })) },
      problems: { 404: NOT_WAITING },
    }),
    'POST /sandbox/listen/:number': merchantCall('answerForwarded', 'Answer a delivery', {
      ...own,
      body: body(json(ForwardedAnswer, { accepted: { status: 200, body: '' } }), 512),
      answers: { 204: answer('The attempt has this answer.') },
      problems: { 400: 'The body is invalid.', 404: NOT_WAITING },
    }),
  }
}
