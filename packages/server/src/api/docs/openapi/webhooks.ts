// Describes the requests that a merchant receives, and the answers they may give. Interface §4.4 to
// §6, contract §5 and §6.
import {
  ACCEPTED_STATUSES,
  ActionEvent,
  CancelAnswerBody,
  CancelForm,
  CancelledForm,
  DeniedForm,
  type EventName,
  ipnForm,
  RiskAssessmentForm,
  type WireNames,
} from '@plazo/core/internal'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import {
  type Answer,
  answer,
  form,
  header,
  jsonAnswer,
  jsonRequest,
  type Operation,
  type Setting,
} from '../../../http/route.ts'
import { ORDER_REF } from './examples.ts'

const signedHeaders = ({ signatureHeader, userAgent }: WireNames): Operation['parameters'] =>
  R.map((description: string) => header(description, { required: true }))({
    [signatureHeader]:
      'Hex HMAC-SHA256 of the raw body, keyed with the merchant’s signature_secret.',
    'Webhook-Id':
      'The delivery’s id and idempotency key, the same for all attempts. Use it to drop repeats.',
    'Webhook-Timestamp':
      'The time of this attempt, in whole seconds since 1970. Use it to drop replays.',
    'Webhook-Signature':
      'v1,<base64> for every live secret, separated by blanks: HMAC-SHA256 of <Webhook-Id>.<Webhook-Timestamp>.<body>, keyed with the secret’s 32 characters as UTF-8.',
    'User-Agent': userAgent,
    Accept: 'application/json',
  })

const ERROR = answer(
  'An error, or no answer within 30 s. The delivery is retried 24 times over a week.',
)

const ACCEPTED = answer('Accepted. The body does not matter.')

const answersOf = (event: EventName, accepted: Answer): Operation['answers'] =>
  Object.fromEntries(ACCEPTED_STATUSES[event].map((status) => [status, accepted]))

const REFERENCES = { order_ref_1: 'A-1001', order_ref_2: '', order_ref: ORDER_REF }

const INFORMATION = 'For information only. Sent to events_webhook.url.'

export const webhooks = ({ names, baseUrl }: Setting) => {
  const parameters = signedHeaders(names)
  const request = (
    name: EventName | 'ipn',
    summary: string,
    description: string,
    content: Operation['content'],
    answers: Operation['answers'] = answersOf('denied', ACCEPTED),
  ) => {
    const operation: Operation = {
      id: `${name}Webhook`,
      caller: 'webhook',
      summary,
      description,
      parameters,
      content,
      answers: { ...answers, default: ERROR },
    }
    return [name, operation] as const
  }
  const ipn = (state: string) => ({
    ...REFERENCES,
    product_code: 'i1',
    [names.ipnStateParameter]: state,
    [`${state}_since`]: '0',
    cart: '42',
  })
  return [
    request(
      'ipn',
      'The instant payment notification: does the merchant accept the order?',
      'Sent to notify_url. Every attempt has the same body.',
      form(ipnForm(names.ipnStateParameter), {
        approved: ipn('approved'),
        'to be held': ipn('needs_review'),
      }),
      {
        '2XX': answer('Confirms the order, or holds it.'),
        409: answer('The merchant refuses the order: the checkout ends as a conflict.'),
        410: answer('The same.'),
      },
    ),
    request('cancelled', 'An order on hold was rejected', INFORMATION, form(CancelledForm)),
    request(
      'cancel',
      'A confirmed order needs to be cancelled',
      'The merchant answers that it is cancelled, that it is too late, or when to ask again. Sent to events_webhook.url.',
      form(CancelForm, {
        cancel: {
          charset: 'UTF-8',
          utf8: '√',
          event: 'cancel',
          ...REFERENCES,
          cancellation_request_url: `${baseUrl}/console/orders/${ORDER_REF}`,
          m_shop: '7',
        },
      }),
      {
        ...answersOf(
          'cancel',
          jsonAnswer('The body decides, regardless of its Content-Type.', CancelAnswerBody, {
            'it is cancelled': { result: 'cancelled' },
            'it is too late': { result: 'toolate', late_by: 90 },
            'ask again': { result: 'retry', retry_in: 60 },
          }),
        ),
        501: jsonAnswer(
          'A JSON object without result: the shop does not support cancel and is not asked again. Otherwise the result decides.',
          CancelAnswerBody,
        ),
      },
    ),
    request('denied', 'The shopper was denied', INFORMATION, form(DeniedForm)),
    request(
      'risk_assessment',
      'The risk of an fp1 order was assessed',
      `${INFORMATION} Another event follows under_evaluation.`,
      form(RiskAssessmentForm),
    ),
    request(
      'identification_action',
      'The answer of the wait endpoint has changed',
      'For merchants with send_action_events_in_identification: one event for each change of the action or its fields, instead of polling. Sent to events_webhook.url.',
      jsonRequest(ActionEvent),
    ),
  ]
}
