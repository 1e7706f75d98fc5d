// The faults that are planted in a server, one for each kind of mistake that another team could make,
// with the words of the demand that it breaks.
import { JOURNEYS, type Journey, type ReceivedRequest } from '@plazo/core/internal/testing'
import type { Answer, Edit } from './proxy.ts'

export type Fault = {
  readonly demand: string
  readonly journey?: Journey['name']
  readonly edit?: Edit
  /** Edits what the merchant receives, which passes no proxy. */
  readonly receive?: (request: ReceivedRequest) => readonly ReceivedRequest[]
}

type Json = Readonly<Record<string, unknown>>

const json = (text: string): Json => JSON.parse(text)
const isOf = (body: string, action: string): boolean => body.includes(`"action":"${action}"`)
const withBody = (answer: Answer, body: Json): Answer => ({
  ...answer,
  status: 200,
  headers: { ...answer.headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const SCREENING = { action: 'wait_for_screening', expires_in_seconds: 60, polling_url: '' }
const ERROR = { action: 'show_error', messages: ['Unknown.'], errors: ['Unknown.'] }

// What a fault remembers of earlier calls.
let phone = ''
const resumed = new Set<string>()

export const FAULTS: Readonly<Record<string, Fault>> = {
  'a placed order is answered 201': {
    demand: 'a placed order is 204',
    edit: (answer, call) =>
      call === 'POST /orders' && answer.status === 204 ? { ...answer, status: 201 } : answer,
  },
  'a 401 has no WWW-Authenticate': {
    demand: 'missing credentials are 401 with WWW-Authenticate',
    edit: ({ headers: { 'www-authenticate': _, ...headers }, ...answer }) => ({
      ...answer,
      headers,
    }),
  },
  'an unknown uuid is answered 200': {
    demand: 'wait of an unknown uuid is a problem with status 404',
    edit: (answer, call) =>
      answer.status === 404 && call.endsWith('/wait') ? withBody(answer, ERROR) : answer,
  },
  'only the first wrong field is named': {
    demand: 'names all that are',
    edit: (answer) => {
      if (!isOf(answer.body, 'show_identification_form')) return answer
      const { errors = {}, ...form } = json(answer.body)
      const first = Object.entries(errors as Json).slice(0, 1)
      return withBody(answer, { ...form, errors: Object.fromEntries(first) })
    },
  },
  'wait_for_screening has no polling_url': {
    demand: 'holds every attribute of its action',
    edit: (answer) => {
      if (!isOf(answer.body, 'wait_for_screening')) return answer
      const { polling_url: _, ...action } = json(answer.body)
      return withBody(answer, action)
    },
  },
  'resume_after_screening is answered once': {
    demand: 'resume_after_screening stays',
    edit: (answer, call) => {
      if (!isOf(answer.body, 'resume_after_screening')) return answer
      const isSecond = resumed.has(call)
      resumed.add(call)
      return isSecond ? withBody(answer, ERROR) : answer
    },
  },
  'a wrong code is accepted': {
    demand: 'only the last code sent',
    edit: (answer) =>
      answer.body.includes('"validation_code"') ? withBody(answer, SCREENING) : answer,
  },
  'the signature covers other bytes': {
    demand: 'the lower-case hex HMAC-SHA256 of those bytes',
    receive: (request) => [{ ...request, body: `${request.body}&more=1` }],
  },
  'events are sent as JSON': {
    demand: 'each request has the headers of its kind',
    receive: ({ headers, ...request }) => [
      { ...request, headers: { ...headers, 'content-type': 'application/json' } },
    ],
  },
  'an accepted IPN is sent again': {
    demand: 'what the merchant has accepted is not sent again',
    receive: (request) => {
      const again = { ...request, headers: { ...request.headers, 'webhook-id': 'another' } }
      return request.path.endsWith('/ipn') ? [request, again] : [request]
    },
  },
  'a second confirmation is 409': {
    demand: 'a state that is already reached is 200 again',
    edit: (answer, call, sent) =>
      call.startsWith('PUT ') && sent.includes('confirmed')
        ? { ...withBody(answer, { errors: ['The order is confirmed.'] }), status: 409 }
        : answer,
  },
  'the order shows the shopper’s phone': {
    demand: 'never show the shopper’s data',
    edit: (answer, call, sent) => {
      if (sent.includes('mobile_phone')) phone = String(json(sent).mobile_phone)
      return /^GET \/orders\/[\w-]+$/.test(call)
        ? withBody(answer, { ...json(answer.body), phone })
        : answer
    },
  },
  'instants have no zone': {
    demand: 'an order has its instants in ISO 8601 and UTC',
    edit: (answer) => ({
      ...answer,
      body: answer.body.replaceAll(/("\d{4}-\d\d-\d\dT[\d:]+)[.\d]*Z"/g, '$1"'),
    }),
  },
  'a cancel question ignores retry_in': {
    demand: 'no earlier than its minutes say',
    journey: 'asked again, and too late',
    receive: ({ answer, ...request }) => [
      {
        ...request,
        answer: { ...answer, body: answer.body.replace('"retry_in":5', '"retry_in":50') },
      },
    ],
  },
}

/** The journeys that show a fault: the first one, unless it names another. */
export const journeysOf = ({ journey = 'pay later' }: Fault): readonly Journey[] =>
  JOURNEYS.filter(({ name }) => name === journey)
