// Builds the OpenAPI 3.1 document from the descriptions of the routes in operations/ and from the
// codecs that decode requests.
import { type JsonSchema, reflector } from '@plazo/core/protocol'
import { yieldToEventLoop } from '../../http/event-loop.ts'
import type { Operation, Route, Setting } from '../../http/route.ts'
import type { Operations } from './operation.ts'
import {
  mapValues,
  type OperationObject,
  operationObject,
  type ResponseObject,
  responseObject,
  SHARED_PROBLEMS,
  TAGS,
  templateOf,
} from './operation-object.ts'
import { sandboxOperations } from './operations/sandbox.ts'
import { payOperations } from './operations/sandbox-pages.ts'
import { webhookToolOperations } from './operations/webhook-tools.ts'
import { webhooks } from './webhooks.ts'

export type PathsObject = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>

/** An OpenAPI 3.1 document, limited to the parts that ours uses. */
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

/** The descriptions of all routes. */
const operations = (setting: Setting): Operations => ({
  ...payOperations(setting),
  ...sandboxOperations(setting),
  ...webhookToolOperations(setting),
})

const basic = (description: string): JsonSchema => ({ type: 'http', scheme: 'basic', description })

/**
 * Documents only the operations that this app has routes for. It works operation by operation, with
 * the event loop free in between.
 */
export const openApiDocument = async (
  setting: Setting,
  routes: readonly Route[],
  others: readonly { readonly method: string; readonly path: string }[],
): Promise<OpenApiDocument> => {
  const { schemaOf, components } = reflector('#/components/schemas/')
  const paths: Record<string, Record<string, OperationObject>> = {}
  const callers = new Set<string>(['webhook'])
  const described = operations(setting)
  const all: readonly {
    readonly route: { readonly method: string; readonly path: string }
    readonly operation: Operation
  }[] = [
    ...routes.map((route) => ({ route, operation: route })),
    ...others.flatMap((route) => {
      const operation = described[`${route.method} ${route.path}`]
      return operation === undefined ? [] : [{ route, operation }]
    }),
  ]
  for (const { route, operation } of all) {
    await yieldToEventLoop()
    callers.add(operation.caller)
    const template = templateOf(route.path)
    paths[template] = {
      ...paths[template],
      [route.method.toLowerCase()]: operationObject(schemaOf, setting, route, operation),
    }
  }
  const webhookItems = Object.entries(webhooks(setting)).map(([name, webhook]) => [
    name,
    { post: operationObject(schemaOf, setting, { method: 'POST', path: name }, webhook) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title: 'plazo checkout',
      version: '1.0',
      description:
        'A buy-now-pay-later checkout: next actions for the shopper’s frontend, orders for merchants, and webhooks to them. Amounts are in minor units, instants are ISO 8601 in UTC.',
    },
    servers: [{ url: setting.baseUrl }],
    tags: Object.entries(TAGS).flatMap(([caller, tag]) => (callers.has(caller) ? [tag] : [])),
    paths,
    webhooks: Object.fromEntries(webhookItems),
    components: {
      schemas: components(),
      responses: mapValues(SHARED_PROBLEMS, (problem) => responseObject(schemaOf, problem)),
      securitySchemes: {
        merchant: basic('The username and password of a merchant’s account.'),
        operator: basic('The user operator, with the password of OPERATOR_PASSWORD.'),
      },
    },
  }
}
