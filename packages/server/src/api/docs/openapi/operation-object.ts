// Writes the part of the OpenAPI document that is about one operation. Besides its own answers, it
// has the problems that all routes of its kind answer. Contract §2.
import { type JsonSchema, Problem } from '@plazo/core/protocol'
import * as R from 'fp-ts/lib/ReadonlyRecord.js'
import { PROBLEM_JSON } from '../../../http/problem.ts'
import { BODY_KIB_MAX } from '../../../http/request.ts'
import {
  type Answer,
  answer,
  type Caller,
  type Codec,
  type ContentObject,
  type Operation,
  type ParameterObject,
  type ResponseObject,
  type Tag,
} from '../../../http/route.ts'
import { PATH_PARAMETERS } from './path-parameters.ts'

export type OperationObject<S = JsonSchema> = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string | undefined
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?:
    | readonly (ParameterObject<S | JsonSchema> & { readonly name: string })[]
    | undefined
  readonly requestBody?:
    | {
        readonly required: true
        readonly description?: string | undefined
        readonly content: ContentObject<S>
      }
    | undefined
  readonly responses: Readonly<Record<string, ResponseObject<S> | { readonly $ref: string }>>
}

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

/** Turns `/orders/:uuid` into `/orders/{uuid}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

const unlessEmpty = <A>(all: readonly A[]): readonly A[] | undefined =>
  all.length === 0 ? undefined : all

export const operationObject = (
  method: string,
  path: string,
  operation: Operation,
): OperationObject<Codec> => {
  const template = templateOf(path)
  const { id, caller, summary, description, content, kibMax = BODY_KIB_MAX } = operation
  return {
    operationId: id,
    summary,
    description,
    tags: [tagOf(caller).name],
    // The name of a security scheme is that of its caller.
    security: caller === 'merchant' || caller === 'operator' ? [{ [caller]: [] }] : [],
    parameters: unlessEmpty(parametersOf(template, operation)),
    requestBody: content && {
      required: true,
      description: caller === 'webhook' ? undefined : `At most ${kibMax} KiB.`,
      content,
    },
    responses: responsesOf(method, path, operation),
  }
}

const parametersOf = (path: string, operation: Operation) =>
  [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const parameter = PATH_PARAMETERS[name]
      if (parameter === undefined) throw new Error(`The path parameter ${name} has no description.`)
      return [name, parameter] as const
    }),
    ...Object.entries(operation.parameters),
  ].map(([name, described]) => ({ name, required: false, ...described }))

const responsesOf = (
  method: string,
  path: string,
  operation: Operation,
): OperationObject<Codec>['responses'] => {
  const problems: Readonly<Record<string, string>> = {
    ...(path.includes(':uuid') && { 404: 'Order not found.' }),
    ...operation.problems,
  }
  return {
    ...R.map((name: keyof typeof SHARED_PROBLEMS) => ({ $ref: `#/components/responses/${name}` }))(
      sharedProblemsOf(method, operation),
    ),
    ...R.map((description: string) => problem(description))(problems),
    ...operation.answers,
  }
}

const problem = (description: string, headers?: Readonly<Record<string, string>>): Answer =>
  answer(description, { [PROBLEM_JSON]: { schema: Problem } }, headers)

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

/** The shared problems that a route of this kind answers, by status. */
const sharedProblemsOf = (
  method: string,
  { caller, content, limit }: Operation,
): Readonly<Record<string, keyof typeof SHARED_PROBLEMS>> => {
  const hasCredentials = caller === 'merchant' || caller === 'operator'
  if (caller === 'webhook') return {}
  return {
    ...(content?.['application/json'] && { 400: 'NotAnObject' }),
    ...(hasCredentials && { 401: 'Unauthorized' }),
    ...(caller === 'merchant' && { 403: 'Forbidden' }),
    ...(caller !== 'merchant' &&
      caller !== 'frontend' &&
      method !== 'GET' && { 403: 'ForeignOrigin' }),
    // A client may send a body even if none is expected.
    ...(method !== 'GET' && { 413: 'TooLarge' }),
    ...(content && { 415: 'UnsupportedMediaType' }),
    ...((limit || hasCredentials) && { 429: 'TooManyRequests' }),
    default: 'Otherwise',
  }
}
