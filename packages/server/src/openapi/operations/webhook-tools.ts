// Developers read here how they make their webhooks go wrong, and how deliveries are forwarded to a tool of their own.
import { type Drill, DrillPayload, Drills, ForwardedAnswer, ForwardedDelivery } from '@plazo/core'
import { AT } from '../examples.ts'
import {
  answer,
  call,
  EVENT_STREAM,
  json,
  jsonAnswer,
  jsonRequest,
  merchantHeader,
  type Operation,
  type Operations,
  ORDER_REF,
  query,
  type Setting,
} from '../operation.ts'

const DRILL: Drill = {
  id: '5f0e4c53-9a6f-4d0f-8c1f-2a110b8e6f5c',
  fault: 'error_then_ok',
  event: 'ipn',
  order_ref: null,
  count: 1,
  touched: 0,
  share: null,
  seed: null,
  seconds: 0,
  until: AT,
}

const SET = json(Drills, { 'one drill': { drills: [DRILL] } })

const FAULTS =
  'duplicate, delay, reorder, late_cancel and wrong_signature change what the shop gets. slow, hang, error_then_ok, not_json, conflict, gone and redirect answer in its place. A drill ends when its count is used up, or at until.'

const drillsAt = (
  path: string,
  callBy: typeof call.merchant,
  of: string,
  parameters: Operation['parameters'],
): Operations => ({
  [`GET ${path}`]: callBy(`list${of}Drills`, 'List the fault drills that are set', {
    parameters,
    ok: answer('The drills that are set, oldest first.', SET),
  }),
  [`POST ${path}`]: callBy(`set${of}Drill`, 'Set a fault drill', {
    parameters,
    description: FAULTS,
    body: jsonRequest(DrillPayload, {
      'the next IPN fails once': { fault: 'error_then_ok', event: 'ipn' },
      'a tenth of all attempts': { fault: 'wrong_signature', share: 0.1, seed: 'monday' },
    }),
    answers: { 201: answer('All drills that are set.', SET) },
    problems: { 400: 'The body is invalid.', 409: 'Twenty drills are set.' },
  }),
  [`DELETE ${path}`]: callBy(`clear${of}Drills`, 'Clear fault drills', {
    parameters: { ...parameters, id: query('Only the drill with this id. Default: all drills.') },
    ok: answer('The drills that are still set.', SET),
  }),
})

const DELIVERY: ForwardedDelivery = {
  number: 1,
  endpoint: 'events',
  event: 'denied',
  url: 'https://shop.example/events',
  headers: { 'Webhook-Id': `${ORDER_REF}:7:notice` },
  body: `event=denied&order_ref=${ORDER_REF}`,
}

const NOT_WAITING = 'No delivery with this number waits for an answer.'

export const webhookToolOperations = (setting: Setting): Operations => {
  const parameters = merchantHeader(setting)
  const own = { parameters, isSampled: false } as const
  return {
    ...drillsAt('/sandbox/drills', call.merchant, '', {
      ...parameters,
      merchant: query('The merchant, for a browser, which sends no merchant header.'),
    }),
    ...drillsAt('/sandbox/demo/drills', call.sandbox, 'Demo', {}),
    // `plazo listen` calls these. They are also for a developer's own tools.
    'GET /sandbox/listen': call.merchant('listen', 'Receive the merchant’s deliveries over this connection', {
      ...own,
      description:
        'Server-sent events of type delivery, with the number of each. While the stream is open, nothing is sent to the URLs of the merchant.',
      ok: answer('The stream.', EVENT_STREAM),
      problems: { 400: 'after is not a number.', 429: 'Too many streams are open.' },
    }),
    'GET /sandbox/listen/:number': call.merchant('showForwarded', 'Get a delivery that waits for an answer', {
      ...own,
      ok: jsonAnswer('The delivery.', ForwardedDelivery, { 'an event': DELIVERY }),
      problems: { 404: NOT_WAITING },
    }),
    'POST /sandbox/listen/:number': call.merchant('answerForwarded', 'Answer a delivery', {
      ...own,
      body: jsonRequest(ForwardedAnswer, { accepted: { status: 200, body: '' } }),
      kibMax: 512,
      answers: { 204: answer('The attempt has this answer.') },
      problems: { 400: 'The body is invalid.', 404: NOT_WAITING },
    }),
  }
}
