// Developers read here how they move time, read the sent codes, and let the demo merchant answer.
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
import { AT, ORDER_REF } from '../examples.ts'
import {
  answer,
  body,
  type Content,
  form,
  json,
  type Operation,
  type Operations,
  type Setting,
  text,
} from '../operation.ts'

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

export const sandboxOperations = ({ names }: Setting): Operations => ({
  'GET /sandbox/triggers': {
    id: 'listTriggers',
    caller: 'sandbox',
    title: 'List the test triggers',
    description: 'The surnames, the one-time code and the cards that trigger each outcome.',
    answers: { 200: answer('The catalogue.', json(TriggerCatalogue)) },
  },
  'GET /sandbox/messages': {
    id: 'listMessages',
    caller: 'sandbox',
    title: 'List the SMS that were sent',
    description: 'Waits up to 1 s for a code that is still being sent.',
    parameters: {
      order_ref: {
        in: 'query',
        description: 'The order’s uuid.',
        codec: t.string,
        isRequired: true,
        variable: 'ORDER',
      },
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
    title: 'Get the service’s time',
    answers: { 200: answer('Now.', json(ClockView, { now: { now: AT } })) },
  },
  'POST /sandbox/clock/advance': {
    id: 'advanceClock',
    caller: 'sandbox',
    title: 'Advance the service’s clock',
    description: 'Runs everything that falls due, in order, and answers afterwards.',
    body: body(json(AdvancePayload, { 'only what is due now': { seconds: 0 }, 'a minute': { seconds: 60 } })),
    answers: {
      200: answer(
        'The jobs that fell due.',
        json(Advanced, { fired: { now: AT, fired: [{ at: AT, order_ref: ORDER_REF, what: 'ipn' }] } }),
      ),
    },
    problems: {
      400: 'The body or seconds is invalid, or the clock would pass the year 9999.',
      409: 'The clock is already being advanced.',
    },
  },
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
    [
      { ...form(CancelledForm), codecs: [CancelledForm, CancelForm, DeniedForm, RiskAssessmentForm] },
      json(ActionEvent),
    ],
  ),
  'GET /demo/return': {
    id: 'demoReturn',
    caller: 'sandbox',
    title: 'Return to the demo merchant’s shop',
    answers: { 200: answer('The shop’s own page.', text('text/plain')) },
  },
})
