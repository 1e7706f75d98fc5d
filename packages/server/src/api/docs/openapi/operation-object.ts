// Writes the part of the OpenAPI document that is about one operation. Besides its own answers, it
// has the problems that all routes of its kind answer. Contract §2.
import { oneOf, PROVIDER_PORTS, Problem } from '@plazo/core/internal'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import * as t from 'io-ts'
import { PROBLEM_JSON } from '../../../http/problem.ts'
import { BODY_KIB_MAX } from '../../../http/request.ts'
import {
  type Answer,
  answer,
  type Caller,
  type Codec,
  type Content,
  type Operation,
  type Tag,
} from '../../../http/route.ts'
import { ORDER_REF, TOKEN } from './examples.ts'

const TAGS: { readonly [caller in Exclude<Caller, Tag>]: Tag } = {
  frontend: {
    name: 'Frontend',
    description:
      'Calls of the page in the shopper’s browser, from any origin and without credentials. Knowing the checkout’s uuid is enough.',
  },
  merchant: {
    name: 'Merchant',
    description: 'Calls of the shop’s backend, by HTTP Basic with the credentials of its account.',
  },
  operator: {
    name: 'Operator',
    description: 'Decisions of the service’s staff, by HTTP Basic as operator.',
  },
  provider: {
    name: 'Providers',
    description: 'Callbacks of the providers behind the ports, signed with a secret of their port.',
  },
  service: {
    name: 'Service',
    description: 'Calls for operations: health, metrics and this document.',
  },
  webhook: {
    name: 'Webhooks',
    description: 'Requests of the service to a merchant: signed, in order, and retried for a week.',
  },
}

export const tagOf = (caller: Caller): Tag => (typeof caller === 'string' ? TAGS[caller] : caller)

type PathParameter = readonly [description: string, example: string, schema?: Codec]

/** Parameters of paths mean the same in every route. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  uuid: [
    'The uuid of the order and its checkout: the last part of Location of POST /orders.',
    ORDER_REF,
    { type: 'string', format: 'uuid' },
  ],
  port: ['The provider’s port.', 'payment', oneOf(...PROVIDER_PORTS)],
  ref: ['The merchant’s ref.', 'demo'],
  order_ref_1: [
    'The merchant’s primary reference of the order. It may contain slashes, raw or as %2F.',
    'A-1001',
  ],
  id: ['The delivery: its Webhook-Id.', `${ORDER_REF}:7:ipn`],
  token: [
    'The payment or ID session: the part after the order in iframe_url or session_url.',
    TOKEN,
  ],
  card: ['The saved card: the last part of its iframe_url.', TOKEN],
  challenge: ['The authentication: the last part of src.', TOKEN],
}

/** Turns `/orders/:uuid` into `/orders/{uuid}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

export type OperationObject = ReturnType<typeof operationObject>

export const operationObject = (method: string, path: string, operation: Operation) => {
  const { id, caller, summary, description, content, kibMax = BODY_KIB_MAX } = operation
  const parameters = parametersOf(path, operation)
  return {
    operationId: id,
    summary,
    description,
    tags: [tagOf(caller).name],
    // The name of a security scheme is that of its caller.
    security: caller === 'merchant' || caller === 'operator' ? [{ [caller]: [] }] : [],
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: content && {
      required: true,
      description: caller === 'webhook' ? undefined : `At most ${kibMax} KiB.`,
      content,
    },
    responses: responsesOf(method, path, operation),
  }
}

const pathParameter = (name: string) => {
  const parameter = PATH_PARAMETERS[name]
  if (parameter === undefined) throw new Error(`The path parameter ${name} has no description.`)
  const [description, example, schema = t.string] = parameter
  return { name, in: 'path', required: true, description, example, schema }
}

const parametersOf = (path: string, { parameters }: Operation) => [
  ...[...path.matchAll(/:(\w+)/g)].map(([, name = '']) => pathParameter(name)),
  ...Object.entries(parameters).map(([name, described]) => ({
    name,
    required: false,
    ...described,
  })),
]

const responsesOf = (
  method: string,
  path: string,
  operation: Operation,
): Readonly<Record<string, Answer | { readonly $ref: string }>> => {
  const { caller, content, limit, answers } = operation
  const problems: Readonly<Record<string, string>> = {
    ...(path.includes(':uuid') && { 404: 'Order not found.' }),
    ...operation.problems,
  }
  if (caller === 'webhook') return answers
  const isMerchant = caller === 'merchant'
  const hasCredentials = isMerchant || caller === 'operator'
  const isWrite = method !== 'GET'
  const shared: Readonly<Record<string, keyof typeof SHARED_PROBLEMS>> = {
    ...(content?.['application/json'] && { 400: 'NotAnObject' }),
    ...(hasCredentials && { 401: 'Unauthorized' }),
    ...(isMerchant && { 403: 'Forbidden' }),
    ...(!isMerchant && caller !== 'frontend' && isWrite && { 403: 'ForeignOrigin' }),
    // A client may send a body even if none is expected.
    ...(isWrite && { 413: 'TooLarge' }),
    ...(content && { 415: 'UnsupportedMediaType' }),
    ...((limit || hasCredentials) && { 429: 'TooManyRequests' }),
    default: 'Otherwise',
  }
  return {
    ...R.map((name: string) => ({ $ref: `#/components/responses/${name}` }))(shared),
    ...R.map((description: string) => problem(description))(problems),
    ...answers,
  }
}

const PROBLEM: Content = { [PROBLEM_JSON]: { schema: Problem } }

const problem = (description: string, headers?: Readonly<Record<string, string>>): Answer =>
  answer(description, PROBLEM, headers)

const RETRY_AFTER = { 'Retry-After': 'Whole seconds to wait.' }

/** Problems that many routes answer. */
export const SHARED_PROBLEMS = {
  NotAnObject: problem('The body is not a JSON object.'),
  Unauthorized: problem('Missing or wrong credentials.', { 'WWW-Authenticate': 'Basic.' }),
  Forbidden: problem(
    'The merchant does not exist or belongs to another account, or a page of another origin requests a change.',
  ),
  ForeignOrigin: problem('A page of another origin requests a change.'),
  TooLarge: problem('The body is too large.'),
  UnsupportedMediaType: problem('The body has another media type.'),
  TooManyRequests: problem(
    'In production: too many requests, or failed logins. Always: too many reads of the account in progress, or too many examples being sent.',
    RETRY_AFTER,
  ),
  Otherwise: problem('Any other error is a problem too. After 503, try again.', RETRY_AFTER),
}
