// Describes the routes in sandbox.ts and demo.ts for the OpenAPI document.
import {
  ActionEvent,
  Advanced,
  AdvancePayload,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  ClockView,
  DeniedForm,
  ipnForm,
  RiskAssessmentForm,
  SmsSent,
  TriggerCatalogue,
} from '@plazo/core'
import * as t from 'io-ts'
import { BODY_KIB_MAX } from '../../http/request.ts'
import { AT, ORDER_REF } from '../examples.ts'
import { answer, form, json, type Operation, type Operations, type Setting, text } from '../operation.ts'

const DEMO_KIB = 4096

const receiver = (
  own: Pick<Operation, 'id' | 'title' | 'answers'>,
  contents: NonNullable<Operation['body']>['contents'],
): Operation => ({
  ...own,
  caller: 'sandbox',
  description: 'The demo merchant’s own, so that a checkout finishes with nothing else running. It wants a signature.',
  body: { kibMax: DEMO_KIB, contents },
  isSampled: false,
})

const ReceiverError = t.strict({ error: t.string })

const RECEIVER_REFUSALS = {
  400: answer('It is no webhook.', json(ReceiverError)),
  401: answer('The signature is missing or wrong.', json(ReceiverError)),
  413: answer('It is too large.', json(ReceiverError)),
  501: answer('It is an event that the demo merchant does not know.', json(ReceiverError)),
}

export const sandboxOperations = ({ names }: Setting): Operations => ({
  'GET /sandbox/triggers': {
    id: 'listTriggers',
    caller: 'sandbox',
    title: 'See what can be made to happen',
    description: 'By the shopper’s surnames; and the one-time code, and the cards.',
    answers: { 200: answer('The catalogue.', json(TriggerCatalogue)) },
  },
  'GET /sandbox/messages': {
    id: 'listMessages',
    caller: 'sandbox',
    title: 'See the SMS that were sent',
    description: 'A code that is on its way is waited for, a second at most.',
    parameters: {
      order_ref: { in: 'query', description: 'Of this order.', codec: t.string, isRequired: true, variable: 'ORDER' },
    },
    answers: {
      200: answer(
        'Oldest first.',
        json(t.readonlyArray(SmsSent), {
          'a code': [{ at: AT, to: '600123456', text: 'Your code is 04711.', code: '04711' }],
        }),
      ),
    },
  },
  'GET /sandbox/clock': {
    id: 'showClock',
    caller: 'sandbox',
    title: 'See the service’s time',
    answers: { 200: answer('Now.', json(ClockView, { now: { now: AT } })) },
  },
  'POST /sandbox/clock/advance': {
    id: 'advanceClock',
    caller: 'sandbox',
    title: 'Move the service’s clock forward',
    description: 'Everything that falls due runs in its order, and the answer comes once it has.',
    body: {
      kibMax: BODY_KIB_MAX,
      contents: [json(AdvancePayload, { 'what is due now': { seconds: 0 }, 'a minute': { seconds: 60 } })],
    },
    answers: {
      200: answer(
        'What fell due.',
        json(Advanced, { fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] } }),
      ),
    },
    problems: {
      400: 'The body is no JSON object, or seconds no number of 0 or more, or leads past the year 9999.',
      409: 'The clock is being moved already.',
    },
  },
  'POST /demo/notify': receiver(
    {
      id: 'demoNotify',
      title: 'Take an IPN as the demo merchant',
      answers: { 200: answer('The order is taken.'), ...RECEIVER_REFUSALS },
    },
    [form(ipnForm(names.ipnStateParameter))],
  ),
  'POST /demo/events': receiver(
    {
      id: 'demoEvents',
      title: 'Take an event as the demo merchant',
      answers: {
        200: answer(
          'Noted; what is asked to be cancelled is cancelled.',
          json(CancelAnswerBody, { cancelled: { result: 'cancelled' } }),
        ),
        ...RECEIVER_REFUSALS,
      },
    },
    [
      { ...form(CancelledForm), codecs: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] },
      json(ActionEvent),
    ],
  ),
  'GET /demo/return': {
    id: 'demoReturn',
    caller: 'sandbox',
    title: 'Come back to the demo merchant’s shop',
    answers: { 200: answer('The shop’s own page.', text('text/plain')) },
  },
})
