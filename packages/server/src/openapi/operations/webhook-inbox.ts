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
import { AT, ORDER_REF } from '../examples.ts'
import {
  answer,
  body,
  type Content,
  form,
  HTML,
  json,
  type Operation,
  type Operations,
  type Setting,
  text,
} from '../operation.ts'
import { merchantHeader } from './orders.ts'

const DEMO_KIB = 4096

const receiver = (own: Pick<Operation, 'id' | 'title' | 'answers'>, contents: readonly Content[]): Operation => ({
  ...own,
  caller: 'sandbox',
  description:
    'Belongs to the demo merchant, so that a checkout can finish without another server. It requires a signature.',
  body: body(contents, DEMO_KIB),
  isSampled: false,
})

const ReceiverError = t.strict({ error: t.string })

const RECEIVER_REFUSALS = {
  400: answer('The body is not a webhook.', json(ReceiverError)),
  401: answer('The signature is missing or wrong.', json(ReceiverError)),
  413: answer('The body is too large.', json(ReceiverError)),
  501: answer('The demo merchant does not know this event.', json(ReceiverError)),
}

// The inbox refuses a long body before its receiver reads it.
const { 413: _tooLarge, ...REFUSALS_HERE } = RECEIVER_REFUSALS

const EVENTS = [
  { ...form(CancelledForm), codecs: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] },
  json(ActionEvent),
]

const RECEIVE_HERE = 'It requires the merchant’s signature. Its URL comes from POST /sandbox/inbox.'
const NO_INBOX = 'Inbox not found.'

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

export const webhookInboxOperations = ({ names, baseUrl }: Setting): Operations => {
  const parameters = merchantHeader(names.merchantHeader)
  const inbox = (urls: Pick<Inbox, 'ipn_url' | 'events_url'>) =>
    answer('The URLs and the requests. The same as a page, if the client accepts HTML.', [
      json(Inbox, { 'an event': { ...urls, requests: [REQUEST] } }),
      HTML,
    ])
  const demo = inbox({ ipn_url: `${baseUrl}/demo/notify`, events_url: `${baseUrl}/demo/events` })
  const token = 'kK0VbFq3TzqY1xQ5mZr2Jw'
  const own = inbox({ ipn_url: `${baseUrl}/inbox/${token}/ipn`, events_url: `${baseUrl}/inbox/${token}/events` })
  const stream = (id: string, title: string): Operation => ({
    id,
    caller: 'sandbox',
    title,
    description:
      'Server-sent events of type request. Their ids are those of the requests, and Last-Event-ID or after resumes. They have neither headers nor bodies.',
    parameters: { after: { in: 'query', description: 'The id of the last known request.', codec: t.string } },
    answers: { 200: answer('The stream.', text('text/event-stream')) },
    problems: { 400: 'after is not an id.', 429: 'Too many pages are followed at once.' },
    isSampled: false,
  })
  return {
    'POST /demo/notify': receiver(
      {
        id: 'demoNotify',
        title: 'Receive an IPN as the demo merchant',
        answers: { 200: answer('The order is accepted.'), ...RECEIVER_REFUSALS },
      },
      [form(ipnForm(names.ipnStateParameter))],
    ),
    'POST /demo/events': receiver(
      {
        id: 'demoEvents',
        title: 'Receive an event as the demo merchant',
        answers: {
          200: answer(
            'Accepted. A cancel request is answered with cancelled.',
            json(CancelAnswerBody, { cancelled: { result: 'cancelled' } }),
          ),
          ...RECEIVER_REFUSALS,
        },
      },
      EVENTS,
    ),
    'GET /demo/return': {
      id: 'demoReturn',
      caller: 'sandbox',
      title: 'Return to the demo merchant’s shop',
      answers: { 200: answer('The shop’s own page.', HTML) },
    },
    'POST /inbox/:token/ipn': {
      ...receiver(
        {
          id: 'inboxNotify',
          title: 'Receive an IPN in the webhook inbox',
          answers: { 200: answer('The order is accepted.'), ...REFUSALS_HERE },
        },
        [form(ipnForm(names.ipnStateParameter))],
      ),
      description: RECEIVE_HERE,
      problems: { 404: NO_INBOX, 413: 'The body is over 64 KiB.' },
    },
    'POST /inbox/:token/events': {
      ...receiver(
        {
          id: 'inboxEvents',
          title: 'Receive an event in the webhook inbox',
          answers: {
            200: answer(
              'Accepted. A cancel request is answered with cancelled.',
              json(CancelAnswerBody, { cancelled: { result: 'cancelled' } }),
            ),
            ...REFUSALS_HERE,
          },
        },
        EVENTS,
      ),
      description: RECEIVE_HERE,
      problems: { 404: NO_INBOX, 413: 'The body is over 64 KiB.' },
    },
    'GET /sandbox/inbox': {
      id: 'showInbox',
      caller: 'merchant',
      title: 'List the webhooks that were received here',
      parameters,
      answers: { 200: own },
    },
    'POST /sandbox/inbox': {
      id: 'openInbox',
      caller: 'merchant',
      title: 'Receive webhooks here',
      description: 'Gives two URLs for orders. If the merchant already has URLs, they stay the same. No order changes.',
      parameters,
      answers: { 200: own },
    },
    'GET /sandbox/inbox/events': {
      ...stream('followInbox', 'Follow the webhooks that are received here'),
      caller: 'merchant',
    },
    'GET /sandbox/demo/inbox': {
      id: 'showDemoInbox',
      caller: 'sandbox',
      title: 'List the webhooks that the demo merchant received',
      answers: { 200: demo },
    },
    'GET /sandbox/demo/inbox/events': stream('followDemoInbox', 'Follow the webhooks of the demo merchant'),
  }
}
