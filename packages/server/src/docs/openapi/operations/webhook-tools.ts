// Developers read here how they receive webhooks before they have a server, make them go wrong, and
// forward deliveries to a tool of their own. The demo merchant receives its webhooks here too.
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  type Drill,
  DrillPayload,
  Drills,
  ForwardedAnswer,
  ForwardedDelivery,
  Inbox,
  type InboxRequest,
  ipnForm,
  RiskAssessmentForm,
} from '@plazo/core/protocol'
import * as t from 'io-ts'
import { AT } from '../examples.ts'
import {
  answer,
  call,
  EVENT_STREAM,
  form,
  HTML,
  json,
  jsonAnswer,
  jsonRequest,
  merchantHeader,
  type Operation,
  type Operations,
  ORDER_REF,
  query,
  type Setting,
  TOKEN,
} from '../operation.ts'

const ReceiverError = t.strict({ error: t.string })

const INBOX_REFUSALS = {
  400: jsonAnswer('The body is not a webhook.', ReceiverError),
  401: jsonAnswer('The signature is missing or wrong.', ReceiverError),
  501: jsonAnswer('The demo merchant does not know this event.', ReceiverError),
}

const EVENT = {
  body: [
    { ...form(CancelledForm), codecs: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] },
    json(ActionEvent),
  ],
  ok: jsonAnswer('Accepted. A cancel request is answered with cancelled.', CancelAnswerBody, {
    cancelled: { result: 'cancelled' },
  }),
}

const DEMO_RECEIVER = {
  description:
    'Belongs to the demo merchant, so that a checkout can finish without another server. It requires a signature.',
  kibMax: 4096,
  answers: { ...INBOX_REFUSALS, 413: jsonAnswer('The body is too large.', ReceiverError) },
  isSampled: false,
} as const

// It refuses a long body before its receiver reads it.
const INBOX_RECEIVER = {
  description: 'It requires the merchant’s signature. Its URL comes from POST /sandbox/inbox.',
  answers: INBOX_REFUSALS,
  problems: { 404: 'Inbox not found.', 413: 'The body is over 64 KiB.' },
  isSampled: false,
} as const

const FOLLOW = {
  description:
    'Server-sent events of type request. Their ids are those of the requests, and Last-Event-ID or after resumes. They have neither headers nor bodies.',
  parameters: { after: query('The id of the last known request.') },
  ok: answer('The stream.', EVENT_STREAM),
  problems: { 400: 'after is not an id.', 429: 'Too many pages are followed at once.' },
  isSampled: false,
} as const

const REQUEST: InboxRequest = {
  id: 1,
  at: AT,
  endpoint: 'events',
  event: 'denied',
  order_ref: ORDER_REF,
  delivery: `${ORDER_REF}:7:notice`,
  signature: 'right',
  headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
  body: `event=denied&order_ref=${ORDER_REF}`,
  is_cut: false,
  status: 200,
  response: '',
  drill: null,
}

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
  const { names, baseUrl } = setting
  const parameters = merchantHeader(setting)
  const inbox = (urls: Pick<Inbox, 'ipn_url' | 'events_url'>) =>
    answer('The URLs and the requests. The same as a page, if the client accepts HTML.', [
      json(Inbox, { 'an event': { ...urls, requests: [REQUEST] } }),
      HTML,
    ])
  const demoInbox = inbox({
    ipn_url: `${baseUrl}/demo/notify`,
    events_url: `${baseUrl}/demo/events`,
  })
  const ownInbox = inbox({
    ipn_url: `${baseUrl}/inbox/${TOKEN}/ipn`,
    events_url: `${baseUrl}/inbox/${TOKEN}/events`,
  })
  const ipn = { body: form(ipnForm(names.ipnStateParameter)), ok: answer('The order is accepted.') }
  const listening = { parameters, isSampled: false } as const
  return {
    'POST /demo/notify': call.sandbox('demoNotify', 'Receive an IPN as the demo merchant', {
      ...DEMO_RECEIVER,
      ...ipn,
    }),
    'POST /demo/events': call.sandbox('demoEvents', 'Receive an event as the demo merchant', {
      ...DEMO_RECEIVER,
      ...EVENT,
    }),
    'GET /demo/return': call.sandbox('demoReturn', 'Return to the demo merchant’s shop', {
      ok: answer('The shop’s own page.', HTML),
    }),
    'POST /inbox/:token/ipn': call.sandbox('inboxNotify', 'Receive an IPN in the webhook inbox', {
      ...INBOX_RECEIVER,
      ...ipn,
    }),
    'POST /inbox/:token/events': call.sandbox(
      'inboxEvents',
      'Receive an event in the webhook inbox',
      {
        ...INBOX_RECEIVER,
        ...EVENT,
      },
    ),
    'GET /sandbox/inbox': call.merchant('showInbox', 'List the webhooks that were received here', {
      parameters,
      ok: ownInbox,
    }),
    'POST /sandbox/inbox': call.merchant('openInbox', 'Receive webhooks here', {
      description:
        'Gives two URLs for orders. If the merchant already has URLs, they stay the same. No order changes.',
      parameters,
      ok: ownInbox,
    }),
    'GET /sandbox/inbox/events': call.merchant(
      'followInbox',
      'Follow the webhooks that are received here',
      FOLLOW,
    ),
    'GET /sandbox/demo/inbox': call.sandbox(
      'showDemoInbox',
      'List the webhooks that the demo merchant received',
      {
        ok: demoInbox,
      },
    ),
    'GET /sandbox/demo/inbox/events': call.sandbox(
      'followDemoInbox',
      'Follow the webhooks of the demo merchant',
      FOLLOW,
    ),
    ...drillsAt('/sandbox/drills', call.merchant, '', {
      ...parameters,
      merchant: query('The merchant, for a browser, which sends no merchant header.'),
    }),
    ...drillsAt('/sandbox/demo/drills', call.sandbox, 'Demo', {}),
    // `plazo listen` calls these. They are also for a developer's own tools.
    'GET /sandbox/listen': call.merchant(
      'listen',
      'Receive the merchant’s deliveries over this connection',
      {
        ...listening,
        description:
          'Server-sent events of type delivery, with the number of each. While the stream is open, nothing is sent to the URLs of the merchant. A browser’s window gets 403.',
        ok: answer('The stream.', EVENT_STREAM),
        problems: { 400: 'after is not a number.', 429: 'Too many streams are open.' },
      },
    ),
    'GET /sandbox/listen/:number': call.merchant(
      'showForwarded',
      'Get a delivery that waits for an answer',
      {
        ...listening,
        ok: jsonAnswer('The delivery.', ForwardedDelivery, { 'an event': DELIVERY }),
        problems: { 404: NOT_WAITING },
      },
    ),
    'POST /sandbox/listen/:number': call.merchant('answerForwarded', 'Answer a delivery', {
      ...listening,
      body: jsonRequest(ForwardedAnswer, { accepted: { status: 200, body: '' } }),
      kibMax: 512,
      answers: { 204: answer('The attempt has this answer.') },
      problems: { 400: 'The body is invalid.', 404: NOT_WAITING },
    }),
  }
}
