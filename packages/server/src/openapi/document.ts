// Builds the OpenAPI 3.1 document from the descriptions of the routes in operations/ and from the codecs that decode requests.
import { type JsonSchema, reflector, type SchemaOf } from '@plazo/core'
import { yieldToEventLoop } from '../http/chunked-json.ts'
import { samplesOf } from './curl-samples.ts'
import type { OpenApiDocument, OperationObject, ParameterObject } from './document-types.ts'
import { type Caller, type Operation, type Operations, PATH_PARAMETERS, type Setting } from './operation.ts'
import { checkoutOperations } from './operations/checkout.ts'
import { consoleOperations } from './operations/console.ts'
import { deliveryOperations } from './operations/deliveries.ts'
import { machineOperations } from './operations/machine.ts'
import { merchantOperations } from './operations/merchants.ts'
import { hostedCheckoutOperations, orderOperations } from './operations/orders.ts'
import { sandboxOperations } from './operations/sandbox.ts'
import { sandboxOrderOperations } from './operations/sandbox-orders.ts'
import { payOperations } from './operations/sandbox-pages.ts'
import { serviceOperations } from './operations/service.ts'
import { webhookInboxOperations } from './operations/webhook-inbox.ts'
import { webhookToolOperations } from './operations/webhook-tools.ts'
import { alsoAsPage, contentOf, mapValues, refusal, refusalsOf, responseOf, sharedRefusals } from './responses.ts'
import type { Webhook } from './webhooks.ts'

/** A route in the app's own table. */
export type Route = { readonly method: string; readonly path: string }

/** The descriptions of all routes. */
export const operations = (setting: Setting): Operations => ({
  ...checkoutOperations(setting),
  ...orderOperations(setting),
  ...merchantOperations(setting),
  ...hostedCheckoutOperations(setting),
  ...deliveryOperations(setting),
  ...consoleOperations,
  ...machineOperations,
  ...serviceOperations,
  ...payOperations(setting),
  ...sandboxOperations,
  ...sandboxOrderOperations(setting),
  ...webhookInboxOperations(setting),
  ...webhookToolOperations(setting),
})

const WEBHOOKS = 'Webhooks'

const TAGS: { readonly [caller in Caller]: { readonly name: string; readonly description: string } } = {
  frontend: {
    name: 'Frontend',
    description:
      'Calls of the page in the shopper’s browser, from any origin and without credentials. Knowing the checkout’s uuid is enough.',
  },
  merchant: {
    name: 'Merchant',
    description: 'Calls of the shop’s backend, by HTTP Basic with the credentials of its account.',
  },
  operator: { name: 'Operator', description: 'Decisions of the service’s staff, by HTTP Basic as operator.' },
  provider: {
    name: 'Providers',
    description: 'Callbacks of the providers behind the ports, signed with a secret of their port.',
  },
  sandbox: {
    name: 'Sandbox',
    description: 'Tools to develop a shop against: time, test cards, ID sessions and a demo merchant.',
  },
  service: { name: 'Service', description: 'Calls for operations: health, metrics and this document.' },
}

/** The name of a security scheme is that of its caller. */
const securityOf = (caller: Caller): OperationObject['security'] =>
  caller === 'merchant' || caller === 'operator' ? [{ [caller]: [] }] : []

const NO_ORDER = { 404: 'Order not found.' }

const responsesOf = (
  schemaOf: SchemaOf,
  { method, path }: Route,
  operation: Operation,
): OperationObject['responses'] => {
  const isOnConsole = operation.caller === 'operator'
  const shared = isOnConsole ? sharedRefusals(schemaOf) : {}
  const problems = { ...(path.includes(':uuid') && NO_ORDER), ...operation.problems }
  return {
    ...mapValues(refusalsOf(method, operation), (name) => {
      const own = shared[name]
      return own === undefined ? { $ref: `#/components/responses/${name}` } : alsoAsPage(own)
    }),
    ...mapValues(problems, (description) => {
      const own = refusal(schemaOf, description)
      return isOnConsole ? alsoAsPage(own) : own
    }),
    ...mapValues(operation.answers, (answer) => responseOf(schemaOf, answer)),
  }
}

const parametersOf = (schemaOf: SchemaOf, path: string, operation: Operation): readonly ParameterObject[] => [
  ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']): ParameterObject => {
    const parameter = PATH_PARAMETERS[name]
    if (parameter === undefined) throw new Error(`The path parameter ${name} has no description.`)
    return {
      name,
      in: 'path',
      required: true,
      description: parameter.description,
      schema: parameter.schema,
      example: parameter.example,
    }
  }),
  ...Object.entries(operation.parameters ?? {}).map(
    ([name, { in: place, description, codec, isRequired, example }]): ParameterObject => ({
      name,
      in: place,
      required: isRequired ?? false,
      description,
      schema: schemaOf(codec),
      ...(example !== undefined && { example }),
    }),
  ),
]

/** Turns `/orders/:uuid` into `/orders/{uuid}`. */
export const templateOf = (path: string): string => path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}')

const operationOf = (schemaOf: SchemaOf, setting: Setting, route: Route, operation: Operation): OperationObject => {
  const template = templateOf(route.path)
  const { id, caller, title, description, body } = operation
  const parameters = parametersOf(schemaOf, template, operation)
  const samples = samplesOf(setting, route.method, template, operation)
  return {
    operationId: id,
    summary: title,
    ...(description !== undefined && { description }),
    tags: [TAGS[caller].name],
    security: securityOf(caller),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: {
        required: true,
        description: `At most ${body.kibMax} KiB.`,
        content: contentOf(schemaOf, body.contents),
      },
    }),
    responses: responsesOf(schemaOf, route, operation),
    ...(samples.length > 0 && { 'x-codeSamples': samples }),
  }
}

const webhookOf = (schemaOf: SchemaOf, name: string, webhook: Webhook): OperationObject => ({
  operationId: `${name}Webhook`,
  summary: webhook.title,
  description: webhook.description,
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
  responses: mapValues(webhook.answers, (answer) => responseOf(schemaOf, answer)),
})

const basic = (description: string): JsonSchema => ({ type: 'http', scheme: 'basic', description })

/**
 * Documents only the operations that this app has routes for. It works operation by operation, with the event loop free in
 * between.
 */
export const openApiDocument = async (
  setting: Setting,
  operations: Operations,
  webhooks: Readonly<Record<string, Webhook>>,
  routes: readonly Route[],
): Promise<OpenApiDocument> => {
  const { schemaOf, components } = reflector('#/components/schemas/')
  const paths: Record<string, Record<string, OperationObject>> = {}
  for (const route of routes) {
    const operation = operations[`${route.method} ${route.path}`]
    if (operation === undefined) continue
    await yieldToEventLoop()
    const template = templateOf(route.path)
    paths[template] = {
      ...paths[template],
      [route.method.toLowerCase()]: operationOf(schemaOf, setting, route, operation),
    }
  }
  const webhookItems = Object.fromEntries(
    Object.entries(webhooks).map(([name, webhook]) => [name, { post: webhookOf(schemaOf, name, webhook) }]),
  )
  const responses = sharedRefusals(schemaOf)
  const used = new Set(Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)))
  return {
    openapi: '3.1.0',
    info: {
      title: `${setting.names.service} checkout`,
      version: '1.0',
      description:
        'A buy-now-pay-later checkout: next actions for the shopper’s frontend, orders for merchants, and webhooks to them. Amounts are in minor units, instants are ISO 8601 in UTC.',
    },
    servers: [{ url: setting.baseUrl }],
    tags: [
      ...Object.values(TAGS).filter(({ name }) => used.has(name)),
      {
        name: WEBHOOKS,
        description: 'Requests of the service to a merchant: signed, in order, and retried for a week.',
      },
    ],
    paths,
    webhooks: webhookItems,
    components: {
      schemas: components(),
      responses,
      securitySchemes: {
        merchant: basic('The username and password of a merchant’s account.'),
        operator: basic('The user operator, with the password of OPERATOR_PASSWORD.'),
      },
    },
  }
}
