// The fuzzing cases, one per route of the document and per page of the app: a valid request to start
// from. A new route has a case without being named here. Who may call a route is written down again,
// because the fuzz checks it.
import { ConfirmOrderPayload, PlaceOrderPayload } from '@plazo/core/internal'
import type { JsonObject } from '@plazo/core/internal/testing'
import { nearMissesOf, validIdentification, validOrder } from '@plazo/core/testing'
import fc from 'fast-check'
import type { OpenApiDocument } from '../../../packages/server/src/api/docs/openapi/document.ts'
import type { OperationObject } from '../../../packages/server/src/api/docs/openapi/operation-object.ts'
import type { Stage } from '../../end-to-end/stages.ts'
import { orderBody, PERSON } from '../../harness/shop.ts'

/** Stands for the target's order in a valid body. It has the same length. */
export const SOME_ORDER = '00000000-0000-4000-8000-000000000000'

type BodyKind = {
  /**
   * A webhook is JSON or a form, sent to a receiver of the sandbox. It and a provider's callback are
   * signed or not.
   */
  readonly kind: 'json' | 'form' | 'webhook' | 'callback'
  /** In bytes. */
  readonly limit: number
  readonly valid: fc.Arbitrary<JsonObject>
  /** Bodies with one wrong member. */
  readonly misses?: fc.Arbitrary<{ readonly value: unknown }> | undefined
}

export type RouteCase = {
  /** The state of the order that the path or the body names. */
  readonly stage: Stage
  readonly caller: 'anybody' | 'merchant' | 'operator'
  /** Requests never change an order. */
  readonly isRead: boolean
  readonly body?: BodyKind
  /** A browser gets a page. */
  readonly hasPage: boolean
  /** By the document. */
  readonly isDescribed: boolean
}

/** By `METHOD /path`, with `:name` for a parameter. */
type RouteCases = Readonly<Record<string, RouteCase>>

const identity = fc.oneof(
  fc.constantFrom<JsonObject>(
    PERSON,
    { ...PERSON, validation_code: '12345' },
    { ...PERSON, validation_code: '00000' },
    { ...PERSON, credit_agreement: { product: 'pp3', instalment_count: 3 } },
    { ...PERSON, surnames: 'identity event' },
    { ...PERSON, surnames: 'alternative event' },
  ),
  validIdentification({
    privacyField: 'service_privacy_policy_accepted',
    country: null,
    optionalFields: [],
    products: ['i1', 'pp3', 'sp1', 'fp1'],
    currency: 'EUR',
    total: 12_100,
    today: '2026-01-01',
  }),
)

const order = fc.oneof(
  fc.constantFrom<JsonObject>(
    orderBody({ merchant: { notify_url: null, events_webhook: null } }),
    orderBody({
      merchant_reference: { order_ref_1: 'A-1', order_ref_2: '2' },
      customer: { language_code: 'es_ES' },
    }),
  ),
  validOrder(),
)

// Nothing listens at the first address, and the others must never be called.
const example = fc.record<JsonObject>({
  event: fc.constantFrom('cancel', 'risk_assessment', 'identification_action', 'ipn', 'other'),
  url: fc.constantFrom(
    'http://127.0.0.1:9/e',
    'http://169.254.169.254/',
    'ftp://127.0.0.1/',
    'http://u:p@127.0.0.1/',
    '',
  ),
})

const callback = fc.record<JsonObject>({
  // One of these is the id of the session.
  id: fc
    .tuple(
      fc.integer({ min: 4, max: 9 }),
      fc.constantFrom('session', 'session', 'session', 'payment'),
    )
    .map(([revision, lane]) => `${SOME_ORDER}:${revision}:${lane}`),
  status: fc.constantFrom('VERIFIED', 'FAILED', 'ERROR', 'succeeded'),
})

const webhook = fc.record<JsonObject>({
  charset: fc.constant('UTF-8'),
  event: fc.constantFrom('cancel', 'cancelled', 'denied', 'risk_assessment', 'other'),
  action: fc.constant('reject'),
  order_ref: fc.constant('x'),
  risk_level: fc.constant('low_risk'),
  sq_state: fc.constant('approved'),
  cancellation_request_url: fc.constant('https://pay.example'),
})

/** Bodies that the examples of the document do not show, or that would call somebody. */
const VALID: Readonly<Record<string, fc.Arbitrary<JsonObject>>> = {
  'POST /api/v1/checkout/:uuid/identification': identity,
  'POST /orders': order,
  'PUT /orders/:uuid': fc.constant({ order: { state: 'confirmed', merchant: { id: 'demo' } } }),
  'POST /merchants/:ref/deliveries/example': example,
  'POST /providers/:port': callback,
  'POST /sandbox/clock/advance': fc.constantFrom({ seconds: 0 }, { seconds: 0.5 }, { seconds: 2 }),
  'POST /sandbox/demo/runs': fc.constantFrom({ state: 'checkout.open.identifying' }),
}

const MISSES: Readonly<Record<string, fc.Arbitrary<{ readonly value: unknown }>>> = {
  'POST /orders': nearMissesOf(PlaceOrderPayload),
  'PUT /orders/:uuid': nearMissesOf(ConfirmOrderPayload),
}

// In each of these lists, the first pattern that matches decides.
const CALLERS: readonly (readonly [path: RegExp, caller: RouteCase['caller']])[] = [
  [/ \/(console|machine\/orders)(\/|$)/, 'operator'],
  [/ \/(orders|merchants|sandbox\/(orders|webhooks))(\/|$)/, 'merchant'],
  [/^/, 'anybody'],
]
const STAGES: readonly (readonly [name: RegExp, stage: Stage])[] = [
  [/\/(identification|wait)$/, 'identified'],
  [/^PUT \/orders/, 'confirming'],
  [/^PUT|\/(request-cancellation|cancel)$/, 'confirmed'],
  [/ \/(console$|console\/orders|machine\/orders)/, 'reviewing'],
  [/\/pay\/.*\/card\//, 'paying with a saved card'],
  [/\/pay\/.*\/3ds\//, 'challenged'],
  [/\/pay\//, 'paying'],
  [/\/(verify|providers)\//, 'in an ID session'],
  [/^/, 'placed'],
]
const CHANGING =
  /^(PUT|POST) \/(api|orders|merchants\/:ref\/orders|console\/orders|providers|sandbox\/(pay|verify|clock|demo\/runs))/

const kindOf = (name: string, isForm: boolean): BodyKind['kind'] => {
  if (name.startsWith('POST /demo/')) return 'webhook'
  if (name.startsWith('POST /providers/')) return 'callback'
  return isForm ? 'form' : 'json'
}

const bodyOf = (name: string, { requestBody }: OperationObject): BodyKind | undefined => {
  if (requestBody === undefined) return undefined
  const { content, description = '' } = requestBody
  const kind = kindOf(name, 'application/x-www-form-urlencoded' in content)
  const examples = Object.values(content).flatMap((media) =>
    Object.values(media.examples ?? {}).map(({ value }) => value as JsonObject),
  )
  return {
    kind,
    limit: Number(/\d+/.exec(description)) * 1024,
    misses: MISSES[name],
    valid: kind === 'webhook' ? webhook : (VALID[name] ?? fc.constantFrom(...examples)),
  }
}

const firstMatch = <A>(name: string, list: readonly (readonly [RegExp, A])[]): A =>
  (list.find(([pattern]) => pattern.test(name)) as readonly [RegExp, A])[1]

const caseOf = (name: string, operation: OperationObject): RouteCase => {
  const success = operation.responses[200]
  const content = success !== undefined && 'content' in success ? (success.content ?? {}) : {}
  const body = bodyOf(name, operation)
  return {
    stage: firstMatch(name, STAGES),
    caller: firstMatch(name, CALLERS),
    isRead: !CHANGING.test(name),
    ...(body && { body }),
    hasPage: name.startsWith('GET ') && 'text/html' in content,
    isDescribed: true,
  }
}

/** The cases of all routes in the document of a server. */
export const casesIn = ({ paths }: OpenApiDocument): RouteCases =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${template.replaceAll(/\{(\w+)\}/g, ':$1')}`
        return [name, caseOf(name, operation)]
      }),
    ),
  )

/** What pages load. */
const IS_FILE = / \/((sdk|assets)\/|favicon|openapi|docs\/|sandbox\/receiving)|\.csv$/
/** An empty form changes nothing, or takes a random secret. */
const TAKES_EMPTY_FORM = /^POST \/console\/merchants\/:merchant(\/rotate-secret)?$/

const pageCase = (name: string): RouteCase => {
  const isForm = name.startsWith('POST ')
  return {
    stage: firstMatch(name, STAGES),
    caller: firstMatch(name, CALLERS),
    isRead: !CHANGING.test(name),
    ...(isForm && { body: { kind: 'form', limit: 64 * 1024, valid: fc.constant({}) } }),
    hasPage:
      !IS_FILE.test(name) && !name.endsWith('/personal-data') && !TAKES_EMPTY_FORM.test(name),
    isDescribed: false,
  }
}

/** A method and a path of an app. */
type Mounted = { readonly method: string; readonly path: string }

/** The names of all calls that an app answers, besides its middleware. */
export const callsOf = (mounted: readonly Mounted[]): readonly string[] => [
  ...new Set(
    mounted
      .filter(({ method, path }) => !['ALL', 'OPTIONS'].includes(method) && !path.endsWith('*'))
      .map(({ method, path }) => `${method} ${path.replaceAll(/\{[^}]*\}/g, '')}`),
  ),
]

/** The cases of all calls of an app: those that its document describes, and pages. */
export const casesOf = (document: OpenApiDocument, mounted: readonly Mounted[]): RouteCases => {
  const described = casesIn(document)
  return Object.fromEntries(
    callsOf(mounted).map((name) => [name, described[name] ?? pageCase(name)]),
  )
}
