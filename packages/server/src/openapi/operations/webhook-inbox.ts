// Developers read here how they receive webhooks before they have a server, and how the demo merchant receives them.
import {
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  Inbox,
  type InboxRequest,
  ipnForm,
  RiskAssessmentForm,
} from '@plazo/core'
import * as t from 'io-ts'
import { AT } from '../examples.ts'
import {
  type Answer,
  answer,
  type Content,
  call,
  EVENT_STREAM,
  form,
  HTML,
  json,
  jsonAnswer,
  merchantHeader,
  type Operation,
  type Operations,
  ORDER_REF,
  query,
  type Setting,
  TOKEN,
} from '../operation.ts'

const ReceiverError = t.strict({ error: t.string })

const RECEIVER_REFUSALS = {
  400: jsonAnswer('The body is not a webhook.', ReceiverError),
  401: jsonAnswer('The signature is missing or wrong.', ReceiverError),
  413: jsonAnswer('The body is too large.', ReceiverError),
  501: jsonAnswer('The demo merchant does not know this event.', ReceiverError),
}

const EVENTS = [
  { ...form(CancelledForm), codecs: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] },
  json(ActionEvent),
]

const ACCEPTED_IPN = answer('The order is accepted.')
const ACCEPTED_EVENT = jsonAnswer('Accepted. A cancel request is answered with cancelled.', CancelAnswerBody, {
  cancelled: { result: 'cancelled' },
})

const demoReceiver = (id: string, title: string, accepted: Answer, contents: readonly Content[]): Operation =>
  call.sandbox(id, title, {
    description:
      'Belongs to the demo merchant, so that a checkout can finish without another server. It requires a signature.',
    body: contents,
    kibMax: 4096,
    answers: { 200: accepted, ...RECEIVER_REFUSALS },
    isSampled: false,
  })

// The inbox refuses a long body before its receiver reads it.
const { 413: _tooLarge, ...INBOX_REFUSALS } = RECEIVER_REFUSALS

const inboxReceiver = (id: string, title: string, accepted: Answer, contents: readonly Content[]): Operation =>
  call.sandbox(id, title, {
    description: 'It requires the merchant’s signature. Its URL comes from POST /sandbox/inbox.',
    body: contents,
    answers: { 200: accepted, ...INBOX_REFUSALS },
    problems: { 404: 'Inbox not found.', 413: 'The body is over 64 KiB.' },
    isSampled: false,
  })

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

export const webhookInboxOperations = (setting: Setting): Operations => {
  const { names, baseUrl } = setting
  const parameters = merchantHeader(setting)
  const inbox = (urls: Pick<Inbox, 'ipn_url' | 'events_url'>) =>
    answer('The URLs and the requests. The same as a page, if the client accepts HTML.', [
      json(Inbox, { 'an event': { ...urls, requests: [REQUEST] } }),
      HTML,
    ])
  const demo = inbox({ ipn_url: `${baseUrl}/demo/notify`, events_url: `${baseUrl}/demo/events` })
  const own = inbox({ ipn_url: `${baseUrl}/inbox/${TOKEN}/ipn`, events_url: `${baseUrl}/inbox/${TOKEN}/events` })
  const ipn = [form(ipnForm(names.ipnStateParameter))]
  return {
    'POST /demo/notify': demoReceiver('demoNotify', 'Receive an IPN as the demo merchant', ACCEPTED_IPN, ipn),
    'POST /demo/events': demoReceiver('demoEvents', 'Receive an event as the demo merchant', ACCEPTED_EVENT, EVENTS),
    'GET /demo/return': call.sandbox('demoReturn', 'Return to the demo merchant’s shop', {
      ok: answer('The shop’s own page.', HTML),
    }),
    'POST /inbox/:token/ipn': inboxReceiver('inboxNotify', 'Receive an IPN in the webhook inbox', ACCEPTED_IPN, ipn),
    'POST /inbox/:token/events': inboxReceiver(
      'inboxEvents',
      'Receive an event in the webhook inbox',
      ACCEPTED_EVENT,
      EVENTS,
    ),
    'GET /sandbox/inbox': call.merchant('showInbox', 'List the webhooks that were received here', {
      parameters,
      ok: own,
    }),
    'POST /sandbox/inbox': call.merchant('openInbox', 'Receive webhooks here', {
      description: 'Gives two URLs for orders. If the merchant already has URLs, they stay the same. No order changes.',
      parameters,
      ok: own,
    }),
    'GET /sandbox/inbox/events': call.merchant('followInbox', 'Follow the webhooks that are received here', FOLLOW),
    'GET /sandbox/demo/inbox': call.sandbox('showDemoInbox', 'List the webhooks that the demo merchant received', {
      ok: demo,
    }),
    'GET /sandbox/demo/inbox/events': call.sandbox(
      'followDemoInbox',
      'Follow the webhooks of the demo merchant',
      FOLLOW,
    ),
  }
}
