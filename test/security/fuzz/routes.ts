// The fuzzing cases, one per route: a valid request to start from, and every status that the
// contract allows. The test fails for a route of the app without a case. A row lists only what
// differs from `caseOfRow`. Nothing comes from the app or its OpenAPI document, because the fuzz
// checks both.
import { type JsonObject, validIdentification, validOrder } from '@plazo/core/testing'
import fc from 'fast-check'
import { CARD, CHALLENGED_CARD, DECLINED_CARD, orderBody, PERSON } from '../../harness/shop.ts'
import { SOME_ORDER, type Stage } from './scene.ts'

const KIB = 1024

type Fields = Readonly<Record<string, string>>

export type BodyKind =
  | { readonly kind: 'json'; readonly limit: number; readonly valid: fc.Arbitrary<JsonObject> }
  | { readonly kind: 'form'; readonly limit: number; readonly valid: fc.Arbitrary<Fields> }
  /** A receiver of the demo merchant: a webhook, JSON or a form, signed or not. */
  | { readonly kind: 'webhook'; readonly limit: number; readonly valid: fc.Arbitrary<Fields> }
  /** A provider's callback, signed or not. */
  | { readonly kind: 'callback'; readonly limit: number; readonly valid: fc.Arbitrary<JsonObject> }

export type RouteCase = {
  /** The state of the order that the path or the body names. */
  readonly stage: Stage
  readonly caller: 'anybody' | 'merchant' | 'operator'
  /** The allowed statuses of a request in which only the content may be wrong. */
  readonly statuses: readonly number[]
  /** Requests never change an order. */
  readonly isRead: boolean
  readonly body?: BodyKind
  /**
   * The status if one of these path parameters is not the target's. Other parameters do not matter.
   */
  readonly unknown: Readonly<Record<string, 403 | 404>>
  /** The shape of the body of a 200. */
  readonly answer?:
    | 'identification action'
    | 'wait action'
    | 'metadata'
    | 'summary'
    | 'payment methods'
    | 'object'
    | 'array'
    | 'page'
    | 'metrics'
    /** The progress of a run, a line of JSON after each step. */
    | 'progress'
    /** Server-sent events, which end only when the reader leaves. */
    | 'stream'
}

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
    orderBody({ product_code: 'pp3', merchant: { notification_parameters: { cart: '7' } } }),
    orderBody({
      merchant: { events_webhook: { url: 'http://127.0.0.1:9/e', parameters: { shop: '1' } } },
    }),
  ),
  validOrder(),
)

const confirmation = fc.constantFrom<JsonObject>(
  { order: { state: 'confirmed' } },
  { order: { state: 'on_hold' } },
  { order: { merchant_reference: { order_ref_1: 'B-1', order_ref_2: null } } },
  {
    order: {
      state: 'confirmed',
      merchant: { id: 'demo' },
      merchant_reference: { order_ref_1: 'B-2' },
      cart: { currency: 'EUR', order_total_with_tax: 12_100 },
    },
  },
)

const cart = (total: number) => ({
  currency: 'EUR',
  order_total_with_tax: total,
  items: total === 0 ? [] : [{ type: 'product', reference: 'SKU-1', total_with_tax: total }],
})

const update = fc.constantFrom<JsonObject>(
  {
    order: {
      merchant: { id: 'demo' },
      merchant_reference: {},
      shipped_cart: cart(0),
      unshipped_cart: cart(0),
    },
  },
  { order: { shipped_cart: cart(12_100), unshipped_cart: cart(0), cancellation_reason: 'none' } },
  { order: { shipped_cart: cart(100), unshipped_cart: cart(12_000) } },
)

const card = fc.constantFrom<Fields>(
  { ...CARD },
  { ...CARD, save: 'on' },
  { ...DECLINED_CARD },
  { ...CHALLENGED_CARD },
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

const recovery = fc.constantFrom<JsonObject>(
  { since: '2026-01-05T12:00:00Z' },
  { since: '2026-01-05T12:00:00+02:00', until: 'never' },
  { since: '9999-12-31' },
  { since: '2026-02-30' },
  { since: 1_767_614_400_000 },
)

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

const events = [
  'cancel',
  'cancelled',
  'denied',
  'risk_assessment',
  'identification_action',
  'other',
]
const webhook = fc.constantFrom<Fields>(
  ...events.map((event) => ({
    charset: 'UTF-8',
    utf8: '√',
    event,
    action: 'reject',
    order_ref: 'x',
    risk_level: 'low_risk',
    cancellation_request_url: 'https://pay.example',
    m_shop: '1',
  })),
  {
    order_ref: 'x',
    product_code: 'i1',
    sq_state: 'approved',
    approved_since: '0',
    event: 'denied',
  },
)

const demoOrder = fc.constantFrom<JsonObject>(
  { product: 'pp3' },
  { product: 'i1', language: 'es', items: [{ name: 'Lamp', total_with_tax: 12_100 }] },
  {
    product: 'fp1',
    shop: { notify_url: 'http://127.0.0.1:9/n', events_url: 'http://127.0.0.1:9/e' },
  },
  { product: 'i1', items: [{ name: 'Castle', total_with_tax: 90_000_000_000 }] },
  { product: 'other' },
)

const drill = fc.constantFrom<JsonObject>(
  { fault: 'duplicate' },
  { fault: 'hang', event: 'cancel', count: 3, until: '2026-01-31' },
  { fault: 'slow', seconds: 2, order_ref: SOME_ORDER, share: 0.5, seed: 'x' },
)

const merchant = fc
  .record({
    ref: fc.stringMatching(/^[\w-]{1,20}$/),
    country: fc.constantFrom('ES', '', 'Spain'),
    send_action_events: fc.constantFrom('on', 'off'),
  })
  .map(
    (own): Fields => ({
      ...own,
      name: 'A shop',
      username: 'a-shop',
      password: 'open sesame',
      currency: 'EUR',
      products: 'i1,pp3',
    }),
  )

const json = (valid: fc.Arbitrary<JsonObject>, kib = 64): BodyKind => ({
  kind: 'json',
  limit: kib * KIB,
  valid,
})
const form = (valid: fc.Arbitrary<Fields>): BodyKind => ({ kind: 'form', limit: 64 * KIB, valid })

// The first prefix that matches decides who may call.
const CALLERS: readonly (readonly [prefix: RegExp, caller: RouteCase['caller']])[] = [
  [/^\/(console|machine\/orders)(\/|$)/, 'operator'],
  [/^\/(orders|merchants|sandbox\/(orders|inbox|drills|listen))(\/|$)/, 'merchant'],
  [/^/, 'anybody'],
]

const parametersOf = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

type Row = Partial<RouteCase>

/**
 * A read for GET, of an order that was just placed, which answers 200. A merchant who is not the
 * caller's is a 403.
 */
const caseOfRow = (name: string, row: Row): RouteCase => {
  const [method, path = ''] = name.split(' ')
  return {
    stage: 'placed',
    caller: CALLERS.find(([prefix]) => prefix.test(path))?.[1] ?? 'anybody',
    statuses: [200],
    isRead: method === 'GET',
    unknown: Object.fromEntries(
      parametersOf(path).map((name) => [name, name === 'ref' ? 403 : 404]),
    ),
    ...row,
  }
}

const answers = (answer: NonNullable<RouteCase['answer']>, own: Row = {}): Row => ({
  answer,
  ...own,
})

// Server-sent events. The tests read only the beginning.
const stream: Row = { statuses: [200, 400, 429] }

const forks = answers('object', {
  stage: 'confirmed',
  statuses: [201, 400, 409],
  isRead: true,
  body: json(
    fc.record<JsonObject>({
      at: fc.integer({ min: 0, max: 12 }),
      apply: fc.subarray([1, 3, 5, 7]),
      deliver: fc.boolean(),
    }),
  ),
})

const operatorDecides = (stage: Stage): Row => answers('object', { stage, statuses: [200, 409] })
const createDrill = answers('object', {
  statuses: [201, 400, 409],
  isRead: true,
  body: json(drill),
})
const deleteDrills = answers('object', { isRead: true })
const demoWebhook: Row = {
  statuses: [200, 400, 501],
  isRead: true,
  body: { kind: 'webhook', limit: 4096 * KIB, valid: webhook },
}
const unknownInbox: Row = { statuses: [404], isRead: true }

const ROWS: Readonly<Record<string, Row>> = {
  'POST /api/v1/checkout/:uuid/identification': answers('identification action', {
    stage: 'identified',
    body: json(identity),
  }),
  'GET /api/v1/checkout/:uuid/wait': answers('wait action', { stage: 'identified' }),
  'GET /api/v1/checkout/:uuid/metadata': answers('metadata', { statuses: [200, 400] }),
  'GET /api/v1/checkout/:uuid/summary': answers('summary', { statuses: [200, 400] }),

  'POST /orders': { statuses: [204, 403, 409], body: json(order, 1024) },
  'GET /orders/:uuid': answers('object'),
  'GET /orders/:uuid/history': answers('array'),
  'GET /orders/:uuid/payment_methods': answers('payment methods'),
  'PUT /orders/:uuid': answers('object', {
    stage: 'confirming',
    statuses: [200, 403, 409],
    body: json(confirmation, 1024),
  }),
  'PUT /merchants/:ref/orders/:order_ref_1{[^]+}': answers('object', {
    stage: 'confirmed',
    statuses: [200, 403, 409],
    body: json(update, 1024),
  }),
  'GET /merchants/credentials': answers('array'),
  'GET /merchants/:ref/credentials': answers('object'),
  'GET /orders/:uuid/form_v2': answers('page', { statuses: [200, 400] }),
  'GET /merchants/:ref/payment_methods': answers('payment methods'),
  'GET /merchants/:ref/deliveries': answers('array', { statuses: [200, 400] }),
  // A scene sends nothing, so no delivery exists.
  'POST /merchants/:ref/deliveries/:id/resend': answers('object', {
    statuses: [404],
    isRead: true,
  }),
  'POST /merchants/:ref/deliveries/recover': answers('object', {
    statuses: [202, 400],
    isRead: true,
    body: json(recovery),
  }),
  'POST /merchants/:ref/deliveries/example': answers('object', {
    statuses: [200, 400, 409],
    isRead: true,
    body: json(example),
  }),

  'GET /console/orders/:uuid': answers('page', { stage: 'reviewing' }),
  'GET /console': answers('object', { stage: 'reviewing', statuses: [200, 400] }),
  'GET /console/merchants': answers('array'),
  'POST /console/merchants': answers('object', { statuses: [201, 409], body: form(merchant) }),
  'GET /console/merchants/:merchant': answers('object'),
  'POST /console/merchants/:merchant/rotate-secret': answers('object'),
  'POST /console/orders/:uuid/approve': operatorDecides('reviewing'),
  'POST /console/orders/:uuid/reject': operatorDecides('reviewing'),
  'POST /console/orders/:uuid/request-cancellation': operatorDecides('confirmed'),
  'POST /console/orders/:uuid/cancel': operatorDecides('confirmed'),

  'GET /machine': answers('page'),
  'GET /machine/orders/:uuid': answers('page', { stage: 'reviewing' }),
  'GET /machine/orders/:uuid/history': answers('object', { stage: 'reviewing' }),
  'GET /machine/orders/:uuid/history/events': answers('stream', {
    stage: 'reviewing',
    statuses: [200, 400],
  }),

  'GET /healthz': answers('object'),
  'GET /readyz': answers('object'),
  'GET /metrics': answers('metrics'),

  'GET /pay/:uuid/:token': answers('page', { stage: 'paying' }),
  'POST /pay/:uuid/:token': answers('object', { stage: 'paying', body: form(card) }),
  // An unknown card leads to the whole form.
  'GET /pay/:uuid/:token/card/:card': answers('page', {
    stage: 'paying with a saved card',
    unknown: { uuid: 404, token: 404 },
  }),
  'POST /pay/:uuid/:token/card/:card': answers('object', {
    stage: 'paying with a saved card',
    body: form(fc.constantFrom<Fields>({ cvc: '123' }, { cvc: '' })),
  }),
  'GET /pay/:uuid/:token/3ds/:challenge': answers('page', { stage: 'challenged' }),
  'POST /pay/:uuid/:token/3ds/:challenge': answers('object', {
    stage: 'challenged',
    statuses: [200, 400],
    body: form(
      fc.constantFrom<Fields>({ status: 'success' }, { status: 'failure' }, { status: 'SUCCESS' }),
    ),
  }),
  'GET /verify/:uuid/:token': answers('page', {
    stage: 'in an ID session',
    unknown: { uuid: 404 },
  }),
  'POST /verify/:uuid/:token': answers('object', {
    stage: 'in an ID session',
    statuses: [200, 400],
    body: form(
      fc.constantFrom<Fields>({ status: 'VERIFIED' }, { status: 'FAILED' }, { status: 'ERROR' }),
    ),
  }),

  'POST /providers/:port': answers('object', {
    stage: 'in an ID session',
    statuses: [200, 400],
    body: { kind: 'callback', limit: 64 * KIB, valid: callback },
  }),

  'GET /sandbox/lender': answers('page'),
  'GET /sandbox/triggers': answers('object'),
  'GET /sandbox/messages': answers('array', { statuses: [200, 400, 401] }),
  'GET /sandbox/demo/orders': answers('array'),
  'POST /sandbox/demo/orders': answers('object', {
    statuses: [201, 400, 409],
    body: json(demoOrder),
  }),
  'POST /sandbox/demo/runs': answers('progress', {
    statuses: [200, 400],
    body: json(
      fc
        .constantFrom('identifying', 'proving', 'proving.screening')
        .map((state) => ({ state: `checkout.open.${state}` })),
    ),
  }),
  'GET /sandbox/demo/orders/:uuid/timeline': answers('object'),
  'GET /sandbox/demo/orders/:uuid/history': answers('object'),
  'GET /sandbox/demo/orders/:uuid/timeline/events': stream,
  'GET /sandbox/demo/orders/:uuid/history/events': stream,
  'GET /sandbox/orders/:uuid/timeline': answers('object'),
  'GET /sandbox/orders/:uuid/timeline/events': stream,
  'GET /sandbox/clock': answers('object'),
  'POST /sandbox/clock/advance': answers('object', {
    statuses: [200, 400],
    body: json(fc.constantFrom<JsonObject>({ seconds: 0 }, { seconds: 0.5 }, { seconds: 2 })),
  }),
  'POST /sandbox/clock/next': answers('object', { statuses: [200, 409] }),
  'POST /sandbox/orders/:uuid/forks': forks,
  'POST /sandbox/demo/orders/:uuid/forks': forks,
  'POST /sandbox/sink': { isRead: true },

  'POST /demo/notify': demoWebhook,
  'POST /demo/events': demoWebhook,
  'POST /inbox/:token/ipn': unknownInbox,
  'POST /inbox/:token/events': unknownInbox,
  'GET /sandbox/inbox': answers('object'),
  'POST /sandbox/inbox': answers('object', { isRead: true }),
  'GET /sandbox/inbox/events': stream,
  'GET /sandbox/demo/inbox': answers('object'),
  'GET /sandbox/demo/inbox/events': stream,
  'GET /sandbox/drills': answers('object'),
  'POST /sandbox/drills': createDrill,
  'DELETE /sandbox/drills': deleteDrills,
  'GET /sandbox/demo/drills': answers('object'),
  'POST /sandbox/demo/drills': createDrill,
  'DELETE /sandbox/demo/drills': deleteDrills,
  'GET /sandbox/listen': stream,
  'GET /sandbox/listen/:number': answers('object', { statuses: [404] }),
  'POST /sandbox/listen/:number': answers('object', {
    statuses: [400, 404],
    isRead: true,
    body: json(fc.constantFrom<JsonObject>({ status: 200, body: '' }, { error: 'timeout' }), 512),
  }),
  'GET /openapi.json': answers('object', { statuses: [200, 304] }),
  'GET /docs': answers('page', { statuses: [200, 304] }),
  'GET /sdk/checkout.js': {},
  'GET /sdk/plazo-checkout.css': {},
  'GET /sdk/plazo-checkout.js': {},
  'GET /sdk/card-form.js': {},
  'GET /sdk/machine.js': {},
  'GET /sdk/machine.json': {},
  'GET /sdk/pages/:script': { statuses: [404] },
  'GET /privacy': answers('page'),
  'GET /': answers('page'),
  'GET /favicon.svg': {},
  'GET /demo/return': answers('page'),
}

export const ROUTES: Readonly<Record<string, RouteCase>> = Object.fromEntries(
  Object.entries(ROWS).map(([name, row]) => [name, caseOfRow(name, row)]),
)
