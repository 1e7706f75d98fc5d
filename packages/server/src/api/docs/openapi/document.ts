// Builds the OpenAPI 3.1 document from the routes and from the codecs that decode requests, so that
// it cannot say what the server does not do.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { type JsonSchema, reflector } from '@plazo/core/protocol'
import * as t from 'io-ts'
import type { ResponseObject, Route, Setting } from '../../../http/route.ts'
import {
  type OperationObject,
  operationObject,
  SHARED_PROBLEMS,
  tagOf,
  templateOf,
} from './operation-object.ts'
import { webhooks } from './webhooks.ts'

type PathsObject = Readonly<Record<string, Readonly<Record<string, OperationObject>>>>

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
    readonly responses: Readonly<Record<string, ResponseObject<JsonSchema>>>
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>
  }
}

const basic = (description: string): JsonSchema => ({ type: 'http', scheme: 'basic', description })

/**
 * Works route by route, with the event loop free in between.
 */
export const openApiDocument = async (
  setting: Setting,
  routes: readonly Route[],
): Promise<OpenApiDocument> => {
  const { schemaOf, components } = reflector('#/components/schemas/')
  /** Replaces each codec by its schema. */
  const withSchemas = (written: object) =>
    JSON.parse(
      JSON.stringify(written, (_, value) => (value instanceof t.Type ? schemaOf(value) : value)),
    )
  const paths: Record<string, Record<string, OperationObject>> = {}
  const tags = new Set([tagOf('webhook')])
  for (const route of routes) {
    await endOfTurn()
    tags.add(tagOf(route.caller))
    const template = templateOf(route.path)
    paths[template] = {
      ...paths[template],
      [route.method.toLowerCase()]: withSchemas(operationObject(route.method, route.path, route)),
    }
  }
  const webhookItems = webhooks(setting).map((webhook) => {
    const name = webhook.id.replace('Webhook', '')
    return [name, { post: withSchemas(operationObject('POST', name, webhook)) }]
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'plazo checkout',
      version: '1.0',
      description:
        'A buy-now-pay-later checkout: next actions for the shopper’s frontend, orders for merchants, and webhooks to them. Amounts are in minor units, instants are ISO 8601 in UTC.',
    },
    servers: [{ url: setting.baseUrl }],
    tags: [...tags].sort((a, b) => (a.name < b.name ? -1 : 1)),
    paths,
    webhooks: Object.fromEntries(webhookItems),
    components: {
      schemas: components(),
      responses: withSchemas(SHARED_PROBLEMS),
      securitySchemes: {
        merchant: basic('The username and password of a merchant’s account.'),
        operator: basic(
          'The user operator with the password of OPERATOR_PASSWORD, or a user of OPERATORS.',
        ),
      },
    },
  }
}
