// Writes the part of the OpenAPI document that is about one operation. Besides its own answers, it
// has the problems that all routes of its kind answer. Contract §2.
import { type JsonSchema, Problem, type SchemaOf } from '@plazo/core/protocol'
import {
  type Answer,
  answer,
  type Caller,
  type Content,
  HTML,
  type Operation,
  type Setting,
} from '../../http/route.ts'
import { type Sample, samplesOf } from './curl-samples.ts'
import { PATH_PARAMETERS } from './path-parameters.ts'

type MediaObject = {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
export type ContentObject = Readonly<Record<string, MediaObject>>
type HeaderObject = { readonly description: string; readonly schema: JsonSchema }
export type ResponseObject = {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject>>
  readonly content?: ContentObject
}
export type ParameterObject = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example?: string
}
export type OperationObject = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: {
    readonly required: true
    readonly description?: string
    readonly content: ContentObject
  }
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>
  readonly 'x-codeSamples'?: readonly Sample[]
}

/** A route in the app's own table. */
type Route = { readonly method: string; readonly path: string }

export const TAGS: {
  readonly [caller in Caller]: { readonly name: string; readonly description: string }
} = {
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
  sandbox: {
    name: 'Sandbox',
    description:
      'Tools to develop a shop against: time, test cards, ID sessions and a demo merchant.',
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

/** Turns `/orders/:uuid` into `/orders/{uuid}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

export const operationObject = (
  schemaOf: SchemaOf,
  setting: Setting,
  route: Route,
  operation: Operation,
): OperationObject => {
  const template = templateOf(route.path)
  const { id, caller, summary, description, bodies, kibMax } = operation
  const parameters = parametersOf(schemaOf, template, operation)
  const samples = samplesOf(setting, route.method, template, operation)
  return {
    operationId: id,
    summary,
    ...(description !== undefined && { description }),
    tags: [TAGS[caller].name],
    // The name of a security scheme is that of its caller.
    security: caller === 'merchant' || caller === 'operator' ? [{ [caller]: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(bodies.length > 0 && {
      requestBody: {
        required: true,
        ...(caller !== 'webhook' && { description: `At most ${kibMax} KiB.` }),
        content: contentOf(schemaOf, bodies),
      },
    }),
    responses: responsesOf(schemaOf, route, operation),
    ...(samples.length > 0 && { 'x-codeSamples': samples }),
  }
}

const parametersOf = (
  schemaOf: SchemaOf,
  path: string,
  operation: Operation,
): readonly ParameterObject[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterObject => {
    const parameter = PATH_PARAMETERS[name]
    if (parameter === undefined) throw new Error(`The path parameter ${name} has no description.`)
    const { variable, ...described } = parameter
    return { name, in: 'path', required: true, ...described }
  }),
  ...Object.entries(operation.parameters).map(
    ([name, { in: place, description, codec, isRequired = false, example }]): ParameterObject => ({
      ...{ name, in: place, required: isRequired, description },
      schema: schemaOf(codec),
      ...(example !== undefined && { example }),
    }),
  ),
]

export const mapValues = <A, B>(
  all: Readonly<Record<string, A>>,
  map: (value: A) => B,
): Readonly<Record<string, B>> =>
  Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]))

const contentOf = (schemaOf: SchemaOf, contents: readonly Content[]): ContentObject =>
  Object.fromEntries(
    contents.map(({ mediaType, codecs, examples }) => {
      const [first, ...others] = codecs.map(schemaOf)
      return [
        mediaType,
        {
          ...(first !== undefined && {
            schema: others.length === 0 ? first : { anyOf: [first, ...others] },
          }),
          ...(Object.keys(examples).length > 0 && {
            examples: mapValues(examples, (value) => ({ value })),
          }),
        },
      ]
    }),
  )

export const responseObject = (
  schemaOf: SchemaOf,
  { description, contents, headers }: Answer,
): ResponseObject => ({
  description,
  ...(Object.keys(headers).length > 0 && {
    headers: mapValues(headers, (meaning) => ({
      description: meaning,
      schema: { type: 'string' },
    })),
  }),
  ...(contents.length > 0 && { content: contentOf(schemaOf, contents) }),
})

const responsesOf = (
  schemaOf: SchemaOf,
  { method, path }: Route,
  operation: Operation,
): OperationObject['responses'] => {
  const isOnConsole = operation.caller === 'operator'
  const problems = {
    ...(path.includes(':uuid') && { 404: 'Order not found.' }),
    ...operation.problems,
  }
  // On the console, a browser gets a problem as a page.
  const writeProblem = ({ contents, ...rest }: Answer): ResponseObject =>
    responseObject(schemaOf, { ...rest, contents: isOnConsole ? [...contents, HTML] : contents })
  return {
    ...mapValues(sharedProblemsOf(method, operation), (name) =>
      isOnConsole
        ? writeProblem(SHARED_PROBLEMS[name])
        : { $ref: `#/components/responses/${name}` },
    ),
    ...mapValues(problems, (description) => writeProblem(problem(description))),
    ...mapValues(operation.answers, (each) => responseObject(schemaOf, each)),
  }
}

const problem = (description: string, headers?: Answer['headers']): Answer =>
  answer(
    description,
    { mediaType: 'application/problem+json', codecs: [Problem], examples: {} },
    headers,
  )

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
  { caller, bodies, isLimited }: Operation,
): Readonly<Record<string, keyof typeof SHARED_PROBLEMS>> => {
  const hasCredentials = caller === 'merchant' || caller === 'operator'
  if (caller === 'webhook') return {}
  return {
    ...(bodies.some(({ mediaType }) => mediaType === 'application/json') && { 400: 'NotAnObject' }),
    ...(hasCredentials && { 401: 'Unauthorized' }),
    ...(caller === 'merchant' && { 403: 'Forbidden' }),
    ...(caller !== 'merchant' &&
      caller !== 'frontend' &&
      method !== 'GET' && { 403: 'ForeignOrigin' }),
    // A client may send a body even if none is expected.
    ...(method !== 'GET' && { 413: 'TooLarge' }),
    ...(bodies.length > 0 && { 415: 'UnsupportedMediaType' }),
    ...((isLimited || hasCredentials) && { 429: 'TooManyRequests' }),
    default: 'Otherwise',
  }
}
