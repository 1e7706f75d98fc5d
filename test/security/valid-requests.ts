// Builds a correct request to a route, from its fuzzing case.
import { sign } from '@plazo/adapters/http'
import fc from 'fast-check'
import type { Target } from '../end-to-end/stages.ts'
import { basic, DEMO } from '../harness/shop.ts'
import { callbackSignature } from './fuzz/fuzzed-request.ts'
import { type RouteCase, SOME_ORDER } from './fuzz/routes.ts'

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

/** `name`: `METHOD /pattern`. */
export const validRequest = (
  name: string,
  route: RouteCase,
  { params, orderRef }: Target,
): Request => {
  const [method = '', pattern = ''] = name.split(' ')
  const credentials = CREDENTIALS[route.caller]
  const body = bodyOf(route)?.replaceAll(SOME_ORDER, orderRef) ?? null
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
      ...(route.body?.kind === 'callback' &&
        Object.fromEntries(callbackSignature(params.port ?? '', Buffer.from(body ?? '')))),
      ...(route.hasPage && { accept: 'text/html' }),
    },
    body,
  }
}
