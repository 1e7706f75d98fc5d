// Requests whose answer the documents fix, for any stored data: statuses, headers and problems. A trace
// of an order cannot hold them, because most of them never reach an order.
import { fieldsOf } from '../trace/trace-queries.ts'
import type { CallResult, callsTo } from './subject.ts'

type Calls = ReturnType<typeof callsTo>

/** What the requests name: two orders without a shopper, the older one first. */
type ProbedOrders = {
  readonly ref: string
  readonly older: string
  readonly newer: string
  readonly body: { readonly order: Readonly<Record<string, unknown>> }
}

type Probe = {
  readonly section: string
  /** What the documents demand, in one sentence. */
  readonly demand: string
  /** By whom the request is made, its method, its path, and its body if there is one. */
  readonly request: readonly [
    by: Exclude<keyof Calls, 'form'>,
    method: string,
    path: string,
    body?: unknown,
  ]
  readonly status: number
  /** Returns what is wrong with an answer of this status; null if nothing is. */
  readonly judge?: (answer: CallResult) => string | null
}

const UNKNOWN = '00000000-0000-4000-8000-00000000dead'

const header =
  (name: string, pattern: RegExp) =>
  ({ headers }: CallResult): string | null => {
    const value = headers.get(name)
    if (value === null) return `The header ${name} is missing.`
    return pattern.test(value) ? null : `The header ${name} is ${JSON.stringify(value)}.`
  }

const isProblem = (answer: CallResult): string | null => {
  const { status } = fieldsOf(answer.body)
  if (status !== answer.status) return `The problem's member status is ${JSON.stringify(status)}.`
  return header('content-type', /^application\/problem\+json/)(answer)
}

const hasSentences = ({ body }: CallResult): string | null => {
  const { errors } = fieldsOf(body)
  const isRight = Array.isArray(errors) && errors.some((each) => typeof each === 'string')
  return isRight ? null : 'The answer has no `errors` with a sentence.'
}

const isJson = header('content-type', /^application\/json/)

/** Instants everywhere in a JSON value, by their member's name. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/
const hasInstants =
  (...names: readonly string[]) =>
  (answer: CallResult): string | null => {
    const rows = [answer.body].flat().map(fieldsOf)
    const wrong = rows.flatMap((row) => names.map((name) => row[name]))
    const found = wrong.find((value) => !INSTANT.test(String(value)))
    return found === undefined && rows.length > 0
      ? isJson(answer)
      : `An instant is ${JSON.stringify(found)}, not ISO 8601 in UTC.`
  }

/** Every probe for these orders. */
export const probesOf = ({ ref, older, newer, body }: ProbedOrders): readonly Probe[] => {
  const checkout = `/api/v1/checkout/${newer}`
  const unknown = `/api/v1/checkout/${UNKNOWN}`
  const orderWith = (cart: object) => ({
    order: { ...body.order, cart: { ...fieldsOf(body.order.cart), ...cart } },
  })
  const reference = { order: { merchant_reference: { order_ref_1: `probe-${newer}` } } }
  return [
    {
      section: 'Contract §3',
      demand: 'a placed order is 204, and its Location ends with /orders/<uuid>',
      request: ['asMerchant', 'POST', '/orders', body],
      status: 204,
      judge: header('location', /\/orders\/[0-9a-f-]{36}$/),
    },
    {
      section: 'Contract §3, A placed order',
      demand: 'an order whose items do not add up is 409 with a sentence in `errors`',
      request: ['asMerchant', 'POST', '/orders', orderWith({ order_total_with_tax: 12_345 })],
      status: 409,
      judge: hasSentences,
    },
    {
      section: 'Contract §2, Errors that are no action',
      demand: 'an order that is not JSON is a problem with status 400',
      request: ['asMerchant', 'POST', '/orders', '{"order":'],
      status: 400,
      judge: isProblem,
    },
    {
      section: 'Contract §2, Merchants’ endpoints',
      demand: 'missing credentials are 401 with WWW-Authenticate',
      request: ['asAnybody', 'GET', `/orders/${newer}`],
      status: 401,
      judge: header('www-authenticate', /^Basic/i),
    },
    {
      section: 'Contract §2, Merchants’ endpoints',
      demand: 'a merchant that does not exist is a problem with status 403',
      request: ['asMerchant', 'GET', `/merchants/${UNKNOWN}/credentials`],
      status: 403,
      judge: isProblem,
    },
    {
      section: 'Interface §4.3',
      demand: 'the credentials have a signature_secret of 32 hex digits',
      request: ['asMerchant', 'GET', `/merchants/${ref}/credentials`],
      status: 200,
      judge: (answer) =>
        /^[0-9a-f]{32}$/.test(String(fieldsOf(answer.body).signature_secret))
          ? isJson(answer)
          : 'The signature_secret has another form.',
    },
    {
      section: 'Contract §2, Merchants’ endpoints',
      demand: 'an order that does not exist is a problem with status 404',
      request: ['asMerchant', 'GET', `/orders/${UNKNOWN}`],
      status: 404,
      judge: isProblem,
    },
    {
      section: 'Contract §3',
      demand: 'an order has its instants in ISO 8601 and UTC',
      request: ['asMerchant', 'GET', `/orders/${newer}`],
      status: 200,
      judge: hasInstants('created_at', 'updated_at'),
    },
    {
      section: 'Contract §3',
      demand: 'each line of a history has its instant in ISO 8601 and UTC',
      request: ['asMerchant', 'GET', `/orders/${newer}/history`],
      status: 200,
      judge: hasInstants('at'),
    },
    {
      section: 'Contract §3',
      demand: 'a page of orders has the newest first, and Link leads to older ones',
      request: ['asMerchant', 'GET', `/merchants/${ref}/orders?limit=1`],
      status: 200,
      judge: header('link', /<[^>]+>;\s*rel="?next"?/),
    },
    {
      section: 'Contract §3',
      demand: 'a PUT of a reference is 200',
      request: ['asMerchant', 'PUT', `/orders/${older}`, reference],
      status: 200,
      judge: ({ body: answer }) =>
        fieldsOf(answer).order_ref_1 === reference.order.merchant_reference.order_ref_1
          ? null
          : 'The answer does not have the new order_ref_1.',
    },
    {
      section: 'Interface §4.2',
      demand: 'wait answers JSON, to pages of any origin',
      request: ['asPage', 'GET', `${checkout}/wait`],
      status: 200,
      judge: (answer) => isJson(answer) ?? header('access-control-allow-origin', /./)(answer),
    },
    {
      section: 'Contract §2, Errors that are no action',
      demand: 'wait of an unknown uuid is a problem with status 404',
      request: ['asAnybody', 'GET', `${unknown}/wait`],
      status: 404,
      judge: isProblem,
    },
    {
      section: 'Interface §7',
      demand: 'an identification that is not JSON is a problem with status 400',
      request: ['asAnybody', 'POST', `${checkout}/identification`, '{"surnames":'],
      status: 400,
      judge: isProblem,
    },
    {
      section: 'Contract §2, Errors that are no action',
      demand: 'a method that a path does not have is a problem with status 405',
      request: ['asAnybody', 'DELETE', `${checkout}/wait`],
      status: 405,
      judge: isProblem,
    },
  ]
}

/** What is wrong with the answer; null if nothing is. */
export const judgeAnswer = ({ status, judge }: Probe, answer: CallResult): string | null =>
  answer.status === status
    ? (judge?.(answer) ?? null)
    : `The status is ${answer.status}, and should be ${status}.`
