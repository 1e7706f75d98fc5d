// Draws requests to a route whose parts are each valid or invalid, and tells which must be refused.
import { isUtf8 as isUtf8Bytes } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { derivePortSecrets } from '@plazo/adapters/provider'
import { PROVIDER_PORTS } from '@plazo/core/protocol'
import fc from 'fast-check'
import type { Target } from '../../end-to-end/stages.ts'
import { basic, DEMO } from '../../harness/shop.ts'
import {
  Body,
  type Fields,
  formBody,
  hostileHeaders,
  hostileQuery,
  hostileSegment,
  jsonBody,
} from './hostile-input.ts'
import { type BodyKind, type RouteCase, SOME_ORDER } from './routes.ts'
import { SECRET_KEY } from './scene.ts'

type Segment =
  | { readonly is: 'right' }
  | { readonly is: 'right, escaped' }
  | { readonly is: 'other'; readonly text: string }

type Credentials = keyof typeof CREDENTIALS
type Origin = keyof typeof ORIGINS

export type Fuzzed = {
  /** Null uses the route's own method. */
  readonly method: string | null
  /** By the name of the path parameter. */
  readonly segments: Readonly<Record<string, Segment>>
  readonly query: string
  readonly credentials: Credentials
  readonly origin: Origin
  readonly headers: readonly (readonly [string, string])[]
  readonly contentType: string | null
  readonly isSigned: boolean
  readonly body: Body
  /** An order that accepts this request is then taken to its end. */
  readonly isFollowed: boolean
}

const operator = basic('operator', 'operator')

const CREDENTIALS = {
  right: null,
  none: '',
  'no base64': 'Basic !!!!',
  'no colon': `Basic ${Buffer.from('demodemo').toString('base64')}`,
  'another scheme': 'Bearer ZGVtbzpkZW1v',
  'a scheme alone': 'Basic',
  garbage: 'Basic \u00ff\u00fe, Basic',
  'a wrong password': basic('demo', 'Demo'),
  'a hostile password': basic('demo', `demo\0${'x'.repeat(500)}`),
  'an unknown username': basic("' OR 1=1--", 'demo'),
  'a prototype': basic('__proto__', 'constructor'),
} as const

const ORIGINS = {
  none: [],
  'its own': [
    ['origin', 'http://localhost:3000'] as const,
    ['sec-fetch-site', 'same-origin'] as const,
  ],
  'a foreign one': [['origin', 'https://evil.example'] as const],
  null: [['origin', 'null'] as const],
  'another site': [['sec-fetch-site', 'cross-site'] as const],
  'a garbled one': [['sec-fetch-site', '\u00ff, none'] as const],
} as const

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/x.y+json',
  '',
]
const FORM_TYPES = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded;charset=UTF-8',
]
const OTHER_TYPES = [
  'text/plain',
  'text/html',
  'application/jsonx',
  'application/json/evil',
  'application/xml',
  'multipart/form-data; boundary=x',
  ';;;',
  'application/json\u00ff',
  '*/*',
]

const METHODS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'QUERY',
  'X__PROTO__',
]

/** The names of a path's parameters, in order. */
const paramsOf = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')

const segment: fc.Arbitrary<Segment> = fc.oneof(
  { weight: 14, arbitrary: fc.constant<Segment>({ is: 'right' }) },
  { weight: 1, arbitrary: fc.constant<Segment>({ is: 'right, escaped' }) },
  { weight: 2, arbitrary: hostileSegment.map((text): Segment => ({ is: 'other', text })) },
)

const bodyFor = (body: BodyKind | undefined): fc.Arbitrary<Body> => {
  switch (body?.kind) {
    case undefined:
      return fc.constantFrom(
        new Body(null),
        new Body('{}'),
        new Body('\0'),
        new Body('x'.repeat(100_000)),
      )
    case 'json':
    case 'callback':
      return jsonBody(body.valid, body.limit)
    case 'form':
      return formBody(body.valid as fc.Arbitrary<Fields>, body.limit)
    case 'webhook':
      return fc.oneof(
        formBody(body.valid as fc.Arbitrary<Fields>, body.limit),
        jsonBody(body.valid, body.limit),
      )
  }
}

const isOfJson = (body: BodyKind | undefined): boolean =>
  body?.kind === 'json' || body?.kind === 'callback'

const contentTypeFor = (body: BodyKind | undefined): fc.Arbitrary<string | null> => {
  const right =
    body?.kind === 'form'
      ? FORM_TYPES
      : isOfJson(body)
        ? [...JSON_TYPES, null]
        : [...FORM_TYPES, ...JSON_TYPES]
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...right) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<string | null>(...OTHER_TYPES, ...FORM_TYPES, ...JSON_TYPES, null),
    },
  )
}

export const fuzzedRequest = (path: string, { caller, body }: RouteCase): fc.Arbitrary<Fuzzed> => {
  // A wrong password costs a scrypt hash, by design, so there are only a few among thousands.
  const wrong = Object.keys(CREDENTIALS).slice(1) as readonly Credentials[]
  return fc.record(
    {
      method: fc.oneof(
        { weight: 24, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom(...METHODS) },
      ),
      segments: fc.record(Object.fromEntries(paramsOf(path).map((name) => [name, segment])), {
        noNullPrototype: true,
      }),
      query: hostileQuery,
      credentials: fc.oneof(
        // An accepted decision uses up an order, so most decisions should be rejected.
        { weight: caller === 'operator' ? 10 : 200, arbitrary: fc.constant<Credentials>('right') },
        {
          weight: caller === 'anybody' ? 0 : 20,
          arbitrary: fc.constantFrom<Credentials>(...wrong.slice(0, 6)),
        },
        {
          weight: caller === 'anybody' ? 0 : 1,
          arbitrary: fc.constantFrom<Credentials>(...wrong.slice(6)),
        },
      ),
      origin: fc.oneof(
        { weight: 16, arbitrary: fc.constant<Origin>('none') },
        { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(ORIGINS) as Origin[])) },
      ),
      headers: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: hostileHeaders },
      ),
      contentType: contentTypeFor(body),
      isSigned: fc.boolean(),
      body: bodyFor(body),
      isFollowed: fc.nat(9).map((number) => number === 0),
    },
    { noNullPrototype: true },
  )
}

const percentEncode = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const segmentText = (segment: Segment | undefined, right: string): string => {
  if (segment?.is === 'other') return segment.text
  return segment?.is === 'right, escaped' ? percentEncode(right) : encodeURIComponent(right)
}

export const pathOf = (path: string, { segments, query }: Fuzzed, { params }: Target): string =>
  path.replace(/:(\w+)/g, (_all, name: string) =>
    segmentText(segments[name], params[name] ?? 'none'),
  ) + query

const hasBody = (method: string): boolean => method !== 'GET' && method !== 'HEAD'

const bytesFor = ({ body }: Fuzzed, { orderRef }: Target): Body['bytes'] =>
  isUtf8(body.bytes) && body.text.includes(SOME_ORDER)
    ? new Body(body.text.replaceAll(SOME_ORDER, orderRef)).bytes
    : body.bytes

/** The headers that authenticate a callback of this port now. */
export const callbackSignature = (
  port: string,
  bytes: Uint8Array | null,
): readonly (readonly [string, string])[] => {
  const [secret = ''] = PROVIDER_PORTS.filter((name) => name === port).flatMap((name) =>
    derivePortSecrets([SECRET_KEY], name),
  )
  const timestamp = String(Math.floor(Date.now() / 1000))
  const hmac = createHmac('sha256', secret).update(`fuzz.${timestamp}.`)
  const signature = hmac.update(bytes ?? '').digest('base64')
  return [
    ['webhook-id', 'fuzz'],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', `v1,${signature}`],
  ]
}

export const initOf = (
  fuzzed: Fuzzed,
  method: string,
  { caller, body: kind }: RouteCase,
  target: Target,
): RequestInit => {
  const bytes = bytesFor(fuzzed, target)
  const input = CREDENTIALS[fuzzed.credentials]
  const right =
    caller === 'operator'
      ? operator
      : caller === 'merchant'
        ? basic(DEMO.username, DEMO.password)
        : ''
  const authorization = input ?? right
  const signature = createHmac('sha256', DEMO.secret)
    .update(bytes ?? '')
    .digest('hex')
  const headers = new Headers([
    ...fuzzed.headers.map(([name, value]): [string, string] => [name, value]),
    ...ORIGINS[fuzzed.origin].map(([name, value]): [string, string] => [name, value]),
    ...(authorization === '' ? [] : [['authorization', authorization] as [string, string]]),
    ...(fuzzed.contentType === null
      ? []
      : [['content-type', fuzzed.contentType] as [string, string]]),
  ])
  if (fuzzed.isSigned && kind?.kind === 'webhook') headers.set('x-service-signature', signature)
  if (fuzzed.isSigned && kind?.kind === 'callback')
    for (const [name, value] of callbackSignature(target.params.port ?? '', bytes))
      headers.set(name, value)
  return { method, headers, body: hasBody(method) ? bytes : null }
}

const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

const isUtf8 = (bytes: Body['bytes']): boolean => bytes === null || isUtf8Bytes(bytes)

/** Routes that a shop's own page calls from its own origin. Contract §2. */
export const isOpenToAnyOrigin = (path: string): boolean => path.startsWith('/api/v1/checkout/')

/** True if such a request must be refused: its credentials, signature or JSON are wrong. */
export const isWrong = (
  { credentials, isSigned, body: sent }: Fuzzed,
  { caller, body }: RouteCase,
): boolean =>
  (caller !== 'anybody' && credentials !== 'right') ||
  ((body?.kind === 'webhook' || body?.kind === 'callback') && !isSigned) ||
  (isOfJson(body) && !(isUtf8(sent.bytes) && isJsonObject(sent.text)))
