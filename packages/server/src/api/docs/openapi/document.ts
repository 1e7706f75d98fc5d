// Builds the OpenAPI 3.1 document from the routes and from the codecs that decode requests, so that
// it cannot say what the server does not do.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { reflector } from '@plazo/core/protocol'
import * as t from 'io-ts'
import type { Answer, Route, Setting } from '../../../http/route.ts'
import {
  type OperationObject,
  operationObject,
  SHARED_PROBLEMS,
  tagOf,
  templateOf,
} from './operation-object.ts'
import { webhooks } from './webhooks.ts'

type Paths = Record<string, Record<string, OperationObject>>

export type OpenApiDocument = Awaited<ReturnType<typeof openApiDocument>>

const basic = (description: string) => ({ type: 'http', scheme: 'basic', description })

/** Works route by route, with the event loop free in between. */
export const openApiDocument = async (setting: Setting, routes: readonly Route[]) => {
  const { schemaOf, components } = reflector('#/components/schemas/')
  /** Replaces each codec by its schema. */
  const withSchemas = <A>(written: A): A =>
    JSON.parse(
      JSON.stringify(written, (_, value) => (value instanceof t.Type ? schemaOf(value) : value)),
    )
  const tags = new Set([tagOf('webhook')])
  const paths: Paths = {}
  for (const route of routes) {
    await endOfTurn()
    tags.add(tagOf(route.caller))
    const { method, path } = route
    const template = templateOf(path)
    const operation = withSchemas(operationObject(method, path, route))
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation }
  }
  const requests: Paths = {}
  for (const [name, webhook] of webhooks(setting))
    requests[name] = { post: withSchemas(operationObject('POST', name, webhook)) }
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
    webhooks: requests,
    components: {
      schemas: components(),
      responses: withSchemas<Readonly<Record<string, Answer>>>(SHARED_PROBLEMS),
      securitySchemes: {
        merchant: basic('The username and password of a merchant’s account.'),
        operator: basic(
          'The user operator with the password of OPERATOR_PASSWORD, or a user of OPERATORS.',
        ),
      },
    },
  }
}
