// Builds a correct request to a route, from its fuzzing case.
import { sign, signStandardWebhook } from '@plazo/adapters/http'
import { derivePortSecrets } from '@plazo/adapters/internal/provider'
import { PROVIDER_PORTS } from '@plazo/core/internal'
import fc from 'fast-check'
import type { Target } from '../end-to-end/stages.ts'
import { basic, DEMO } from '../harness/shop.ts'
import { type RouteCase, SOME_ORDER } from './fuzz/routes.ts'
import { SECRET_KEY } from './fuzz/scene.ts'

export type Request = {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string | null
}

type Headers = Readonly<Record<string, string>>

const CREDENTIALS: { readonly [caller in RouteCase['caller']]: string | null } = {
  anybody: null,
  merchant: basic(DEMO.username, DEMO.password),
  operator: basic('operator', 'operator'),
}

const typeOf = ({ kind }: NonNullable<RouteCase['body']>): string =>
  kind === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'

const bodyOf = ({ body }: RouteCase): string | null => {
  if (body === undefined) return null
  const [valid] = fc.sample(body.valid as fc.Arbitrary<Headers>, { numRuns: 1, seed: 4 })
  return body.kind === 'form' ? new URLSearchParams(valid).toString() : JSON.stringify(valid)
}

/** What authenticates a callback of this port now. */
const callbackHeaders = (port: string, body: string): Headers => {
  const secrets = PROVIDER_PORTS.filter((name) => name === port).flatMap((name) =>
    derivePortSecrets([SECRET_KEY], name),
  )
  const timestamp = Math.floor(Date.now() / 1000)
  return {
    'webhook-id': 'fuzz',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signStandardWebhook(secrets, { id: 'fuzz', timestamp, body }),
  }
}

/** `name`: `METHOD /pattern`. `content`: the body, in place of a valid one. */
export const validRequest = (
  name: string,
  route: RouteCase,
  { params, orderRef }: Target,
  content = bodyOf(route),
): Request => {
  const [method = '', pattern = ''] = name.split(' ')
  const credentials = CREDENTIALS[route.caller]
  const body = content?.replaceAll(SOME_ORDER, orderRef) ?? null
  return {
    method,
    path: pattern.replace(/:(\w+)/g, (_, param: string) =>
      encodeURIComponent(params[param] ?? 'none'),
    ),
    headers: {
      ...(credentials !== null && { authorization: credentials }),
      ...(route.body && { 'content-type': typeOf(route.body) }),
      ...(route.body?.kind === 'webhook' && {
        'x-service-signature': sign(DEMO.secret, Buffer.from(body ?? '')),
      }),
      ...(route.body?.kind === 'callback' && callbackHeaders(params.port ?? '', body ?? '')),
      ...(route.hasPage && { accept: 'text/html' }),
    },
    body,
  }
}
