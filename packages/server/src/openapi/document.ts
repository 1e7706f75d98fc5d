// The OpenAPI 3.1 document, made from what stands beside the routes and from the codecs that decode.
import { type JsonSchema, Problem, reflector, type SchemaOf } from '@plazo/core'
import type { Answer, Caller, Content, Operation, Operations, Setting } from './operation.ts'
import { PATH_PARAMETERS } from './path-parameter.ts'
import { type Sample, samplesOf } from './sample.ts'
import type { Webhook } from './webhooks.ts'

export type MediaObject = {
  readonly schema?: JsonSchema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}
export type ContentObject = Readonly<Record<string, MediaObject>>
export type HeaderObject = { readonly description: string; readonly schema: JsonSchema }
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
  readonly requestBody?: { readonly required: true; readonly description?: string; readonly content: ContentObject }
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>
  readonly 'x-codeSamples'?: readonly Sample[]
}
export type PathsObject = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
export type OpenApiDocument = {
  readonly openapi: '3.1.0'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: PathsObject
  readonly webhooks: PathsObject
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>
  }
}

/** A route of the app's own table. */
export type Route = { readonly method: string; readonly path: string }

const PROBLEM = 'application/problem+json'
const WEBHOOKS = 'Webhooks'

const TAGS: { readonly [caller in Caller]: { readonly name: string; readonly description: string } } = {
  frontend: {
    name: 'Frontend',
    description:
      'What the page in the shopper’s browser calls, from any origin and without credentials: the uuid of the checkout is the capability.',
  },
  merchant: {
    name: 'Merchant',
    description: 'What the shop’s backend calls, by HTTP Basic with the credentials of its account.',
  },
  operator: { name: 'Operator', description: 'What the service’s staff decide, by HTTP Basic as operator.' },
  provider: {
    name: 'Providers',
    description: 'What the services behind the ports tell by themselves, signed with a secret of their port.',
  },
  sandbox: {
    name: 'Sandbox',
    description: 'What is there to develop a shop against: time, test cards, ID sessions, and a demo merchant.',
  },
  service: { name: 'Service', description: 'What those who run it call, and what tells of it.' },
}

const SECURITY: { readonly [caller in Caller]: OperationObject['security'] } = {
  frontend: [],
  merchant: [{ merchant: [] }],
  operator: [{ operator: [] }],
  provider: [],
  sandbox: [],
  service: [],
}

const contentOf = (schemaOf: SchemaOf, contents: readonly Content[]): ContentObject =>
  Object.fromEntries(
    contents.map(({ mediaType, codecs, examples }) => {
      const [first, ...others] = codecs.map(schemaOf)
      return [
        mediaType,
        {
          ...(first !== undefined && { schema: others.length === 0 ? first : { anyOf: [first, ...others] } }),
          ...(Object.keys(examples).length > 0 && {
            examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
          }),
        },
      ]
    }),
  )

const headersOf = (headers: Readonly<Record<string, string>>): Readonly<Record<string, HeaderObject>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  )

const responseOf = (schemaOf: SchemaOf, { tells, contents, headers }: Answer): ResponseObject => ({
  description: tells,
  ...(Object.keys(headers).length > 0 && { headers: headersOf(headers) }),
  ...(contents.length > 0 && { content: contentOf(schemaOf, contents) }),
})

const refusal = (
  schemaOf: SchemaOf,
  description: string,
  headers: Readonly<Record<string, string>> = {},
): ResponseObject => ({
  description,
  ...(Object.keys(headers).length > 0 && { headers: headersOf(headers) }),
  content: { [PROBLEM]: { schema: schemaOf(Problem) } },
})

const RETRY_AFTER = { 'Retry-After': 'Whole seconds to wait.' }

/** What many routes refuse alike. */
const refusals = (schemaOf: SchemaOf): Readonly<Record<string, ResponseObject>> => ({
  NotAnObject: refusal(schemaOf, 'The body is not a JSON object.'),
  Unauthorized: refusal(schemaOf, 'No credentials, or wrong ones.', { 'WWW-Authenticate': 'Basic.' }),
  Forbidden: refusal(
    schemaOf,
    'The merchant is not this account’s, or there is none; or a page of another origin asked for a change.',
  ),
  ForeignOrigin: refusal(schemaOf, 'A page of another origin asked for a change.'),
  TooLarge: refusal(schemaOf, 'The body is too large.'),
  UnsupportedMediaType: refusal(schemaOf, 'The body is of another type.'),
  TooManyRequests: refusal(schemaOf, 'In production: too many requests, or failed logins.', RETRY_AFTER),
  Otherwise: refusal(schemaOf, 'Anything else is a problem too; 503 asks to try again.', RETRY_AFTER),
})

const refusedBy = (method: string, { caller, body }: Operation): Readonly<Record<string, string>> => ({
  ...(body?.contents.some(({ mediaType }) => mediaType === 'application/json') && { 400: 'NotAnObject' }),
  ...((caller === 'merchant' || caller === 'operator') && { 401: 'Unauthorized' }),
  ...(caller === 'merchant' && { 403: 'Forbidden' }),
  ...(caller === 'operator' && method !== 'GET' && { 403: 'ForeignOrigin' }),
  ...(body !== undefined && { 413: 'TooLarge', 415: 'UnsupportedMediaType' }),
  ...(['frontend', 'merchant', 'operator'].includes(caller) && { 429: 'TooManyRequests' }),
  default: 'Otherwise',
})

const responsesOf = (schemaOf: SchemaOf, method: string, operation: Operation): OperationObject['responses'] => ({
  ...Object.fromEntries(
    Object.entries(refusedBy(method, operation)).map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(operation.problems ?? {}).map(([status, tells]) => [status, refusal(schemaOf, tells)]),
  ),
  ...Object.fromEntries(
    Object.entries(operation.answers).map(([status, answer]) => [status, responseOf(schemaOf, answer)]),
  ),
})

const parametersOf = (schemaOf: SchemaOf, path: string, operation: Operation): readonly ParameterObject[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterObject => {
    const known = PATH_PARAMETERS[name]
    if (known === undefined) throw new Error(`Nothing is said of the path’s parameter ${name}.`)
    return { name, in: 'path', required: true, description: known.tells, schema: known.schema, example: known.example }
  }),
  ...Object.entries(operation.parameters ?? {}).map(
    ([name, { in: place, tells, codec, isRequired, example }]): ParameterObject => ({
      name,
      in: place,
      required: isRequired ?? false,
      description: tells,
      schema: schemaOf(codec),
      ...(example !== undefined && { example }),
    }),
  ),
]

/** `/orders/:uuid` as `/orders/{uuid}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

const operationOf = (
  schemaOf: SchemaOf,
  setting: Setting,
  { method, path }: Route,
  operation: Operation,
): OperationObject => {
  const template = templateOf(path)
  const { id, caller, title, tells, body } = operation
  const parameters = parametersOf(schemaOf, template, operation)
  const samples = samplesOf(setting, method, template, operation)
  return {
    operationId: id,
    summary: title,
    ...(tells !== undefined && { description: tells }),
    tags: [TAGS[caller].name],
    security: SECURITY[caller],
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: `At most ${body.kibMax} KiB.`,
        content: contentOf(schemaOf, body.contents),
      },
    }),
    responses: responsesOf(schemaOf, method, operation),
    ...(samples.length > 0 && { 'x-codeSamples': samples }),
  }
}

const webhookOf = (schemaOf: SchemaOf, name: string, webhook: Webhook): OperationObject => ({
  operationId: `${name}Webhook`,
  summary: webhook.title,
  description: webhook.tells,
  tags: [WEBHOOKS],
  security: [],
  parameters: Object.entries(webhook.headers).map(([header, description]) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  })),
  requestBody: { required: true, content: contentOf(schemaOf, [webhook.content]) },
  responses: Object.fromEntries(
    Object.entries(webhook.answers).map(([status, answer]) => [status, responseOf(schemaOf, answer)]),
  ),
})

const basic = (description: string): JsonSchema => ({ type: 'http', scheme: 'basic', description })

/** Of all that is said, what this app has routes for. */
export const openApiDocument = (
  setting: Setting,
  operations: Operations,
  webhooks: Readonly<Record<string, Webhook>>,
  routes: readonly Route[],
): OpenApiDocument => {
  const { schemaOf, components } = reflector('#/components/schemas/')
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const route of routes) {
    const operation = operations[`${route.method} ${route.path}`]
    if (operation === undefined) continue
    const template = templateOf(route.path)
    paths[template] = {
      ...paths[template],
      [route.method.toLowerCase()]: operationOf(schemaOf, setting, route, operation),
    }
  }
  const sent = Object.fromEntries(
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: webhookOf(schemaOf, name, webhook) }]),
  )
  const responses = refusals(schemaOf)
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)))
  return {
    openapi: '3.1.0',
    info: {
      title: `${setting.names.service} checkout`,
      version: '1.0',
      description:
        'A buy-now-pay-later checkout: a conversation of next actions with the shopper’s frontend, orders for merchants, and webhooks to them. Amounts are in minor units, instants are ISO 8601 in UTC.',
    },
    servers: [{ url: setting.baseUrl }],
    tags: [
      ...Object.values(TAGS).filter(({ name }) => used.has(name)),
      {
        name: WEBHOOKS,
        description: 'What the service posts to a merchant: signed, in order, and tried again for a week.',
      },
    ],
    paths,
    webhooks: sent,
    components: {
      schemas: components(),
      responses,
      securitySchemes: {
        merchant: basic('The username and password of a merchant’s account.'),
        operator: basic('The user operator, with the password that is set.'),
      },
    },
  }
}
