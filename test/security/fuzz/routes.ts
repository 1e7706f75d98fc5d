// The fuzzing cases, one per route: a valid request to start from, and every status that the contract allows. The test fails
// for a route of the app without a case.
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
  readonly isRead?: true
  readonly body?: BodyKind
  /** The status if one of these path parameters is not the target's. Other parameters do not matter. */
  readonly unknown?: Readonly<Record<string, 403 | 404>>
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
    total: 12_100,
    at: Date.UTC(2026, 0),
  }),
)

const order = fc.oneof(
  fc.constantFrom<JsonObject>(
    orderBody({ merchant: { notify_url: null, events_webhook: null } }),
    orderBody({ merchant_reference: { order_ref_1: 'A-1', order_ref_2: '2' }, customer: { language_code: 'es_ES' } }),
    orderBody({ product_code: 'pp3', merchant: { notification_parameters: { cart: '7' } } }),
    orderBody({ merchant: { events_webhook: { url: 'http://127.0.0.1:9/e', parameters: { shop: '1' } } } }),
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
  { order: { merchant: { id: 'demo' }, merchant_reference: {}, shipped_cart: cart(0), unshipped_cart: cart(0) } },
  { order: { shipped_cart: cart(12_100), unshipped_cart: cart(0), cancellation_reason: 'none' } },
  { order: { shipped_cart: cart(100), unshipped_cart: cart(12_000) } },
)

const card = fc.constantFrom<Fields>({ ...CARD }, { ...CARD, save: 'on' }, { ...DECLINED_CARD }, { ...CHALLENGED_CARD })

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
    .tuple(fc.integer({ min: 4, max: 9 }), fc.constantFrom('session', 'session', 'session', 'payment'))
    .map(([revision, lane]) => `${SOME_ORDER}:${revision}:${lane}`),
  status: fc.constantFrom('VERIFIED', 'FAILED', 'ERROR', 'succeeded'),
})

const events = ['cancel', 'cancelled', 'denied', 'risk_assessment', 'identification_action', 'other']
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
  { order_ref: 'x', product_code: 'i1', sq_state: 'approved', approved_since: '0', event: 'denied' },
)

const demoOrder = fc.constantFrom<JsonObject>(
  { product: 'pp3' },
  { product: 'i1', language: 'es', items: [{ name: 'Lamp', total_with_tax: 12_100 }] },
  { product: 'fp1', shop: { notify_url: 'http://127.0.0.1:9/n', events_url: 'http://127.0.0.1:9/e' } },
  { product: 'i1', items: [{ name: 'Castle', total_with_tax: 90_000_000_000 }] },
  { product: 'other' },
)

const drill = fc.constantFrom<JsonObject>(
  { fault: 'duplicate' },
  { fault: 'hang', event: 'cancel', count: 3, until: '2026-01-31' },
  { fault: 'slow', seconds: 2, order_ref: SOME_ORDER, share: 0.5, seed: 'x' },
)

const json = (valid: fc.Arbitrary<JsonObject>, kib = 64): BodyKind => ({ kind: 'json', limit: kib * KIB, valid })
const form = (valid: fc.Arbitrary<Fields>): BodyKind => ({ kind: 'form', limit: 64 * KIB, valid })

const ofOrder = { uuid: 404 } as const
const ofPayment = { uuid: 404, token: 404 } as const

const merchantReads = (
  answer: NonNullable<RouteCase['answer']>,
  unknown: RouteCase['unknown'] = ofOrder,
): RouteCase => ({
  stage: 'placed',
  caller: 'merchant',
  statuses: [200],
  isRead: true,
  unknown,
  answer,
})

/** Server-sent events. The tests read only the beginning. */
const merchantStream: RouteCase = { stage: 'placed', caller: 'merchant', statuses: [200, 400, 429], isRead: true }

const freeRead: RouteCase = { stage: 'placed', caller: 'anybody', statuses: [200], isRead: true }

const anybodyReads = (answer: NonNullable<RouteCase['answer']>, own: Partial<RouteCase> = {}): RouteCase => ({
  ...freeRead,
  answer,
  ...own,
})

const demoWebhook: RouteCase = {
  ...freeRead,
  statuses: [200, 400, 501],
  body: { kind: 'webhook', limit: 4096 * KIB, valid: webhook },
}

const unknownInbox: RouteCase = { ...freeRead, statuses: [404], unknown: { token: 404 } }

const followedRoute = (caller: RouteCase['caller']): RouteCase => ({ ...merchantStream, caller, unknown: ofOrder })

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

const operatorDecides = (stage: Stage): RouteCase => ({
  stage,
  caller: 'operator',
  statuses: [200, 409],
  unknown: ofOrder,
  answer: 'object',
})

const forks = (caller: RouteCase['caller']): RouteCase => ({
  stage: 'confirmed',
  caller,
  statuses: [201, 400, 409],
  isRead: true,
  body: json(
    fc.record<JsonObject>({
      at: fc.integer({ min: 0, max: 12 }),
      apply: fc.subarray([1, 3, 5, 7]),
      deliver: fc.boolean(),
    }),
  ),
  unknown: ofOrder,
  answer: 'object',
})

const operatorReads = (answer: NonNullable<RouteCase['answer']>): RouteCase => ({
  stage: 'reviewing',
  caller: 'operator',
  statuses: [200],
  isRead: true,
  unknown: ofOrder,
  answer,
})

export const ROUTES: Readonly<Record<string, RouteCase>> = {
  'POST /api/v1/checkout/:uuid/identification': {
    stage: 'identified',
    caller: 'anybody',
    statuses: [200],
    body: json(identity),
    unknown: ofOrder,
    answer: 'identification action',
  },
  'GET /api/v1/checkout/:uuid/wait': anybodyReads('wait action', { stage: 'identified', unknown: ofOrder }),

  'GET /api/v1/checkout/:uuid/metadata': anybodyReads('metadata', { statuses: [200, 400], unknown: ofOrder }),
  'GET /api/v1/checkout/:uuid/summary': anybodyReads('summary', { statuses: [200, 400], unknown: ofOrder }),

  'POST /orders': { stage: 'placed', caller: 'merchant', statuses: [204, 403, 409], body: json(order, 1024) },
  'GET /orders/:uuid': merchantReads('object'),
  'GET /orders/:uuid/history': merchantReads('array'),
  'GET /orders/:uuid/payment_methods': merchantReads('payment methods'),
  'PUT /orders/:uuid': {
    stage: 'confirming',
    caller: 'merchant',
    statuses: [200, 403, 409],
    body: json(confirmation, 1024),
    unknown: ofOrder,
    answer: 'object',
  },
  'PUT /merchants/:ref/orders/:order_ref_1{[^]+}': {
    stage: 'confirmed',
    caller: 'merchant',
    statuses: [200, 403, 409],
    body: json(update, 1024),
    unknown: { ref: 403, order_ref_1: 404 },
    answer: 'object',
  },
  'GET /merchants/credentials': merchantReads('array', {}),
  'GET /merchants/:ref/credentials': merchantReads('object', { ref: 403 }),
  'GET /orders/:uuid/form_v2': { ...merchantReads('page'), statuses: [200, 400] },
  'GET /merchants/:ref/payment_methods': merchantReads('payment methods', { ref: 403 }),
  'GET /merchants/:ref/deliveries': { ...merchantReads('array', { ref: 403 }), statuses: [200, 400] },
  'POST /merchants/:ref/deliveries/:id/resend': {
    ...merchantReads('object', { ref: 403, id: 404 }),
    // A scene sends nothing, so no delivery exists.
    statuses: [404],
  },
  'POST /merchants/:ref/deliveries/recover': {
    ...merchantReads('object', { ref: 403 }),
    statuses: [202, 400],
    body: json(recovery),
  },
  'POST /merchants/:ref/deliveries/example': {
    ...merchantReads('object', { ref: 403 }),
    statuses: [200, 400, 409],
    body: json(example),
  },

  'GET /console/orders/:uuid': operatorReads('page'),
  'GET /console': { stage: 'reviewing', caller: 'operator', statuses: [200, 400], isRead: true, answer: 'object' },
  'GET /console/merchants': { stage: 'placed', caller: 'operator', statuses: [200], isRead: true, answer: 'array' },
  'POST /console/merchants': {
    stage: 'placed',
    caller: 'operator',
    statuses: [201, 409],
    body: form(merchant),
    answer: 'object',
  },
  'GET /console/merchants/:merchant': {
    stage: 'placed',
    caller: 'operator',
    statuses: [200],
    isRead: true,
    unknown: { merchant: 404 },
    answer: 'object',
  },
  'POST /console/merchants/:merchant/rotate-secret': {
    stage: 'placed',
    caller: 'operator',
    statuses: [200],
    unknown: { merchant: 404 },
    answer: 'object',
  },
  'POST /console/orders/:uuid/approve': operatorDecides('reviewing'),
  'POST /console/orders/:uuid/reject': operatorDecides('reviewing'),
  'POST /console/orders/:uuid/request-cancellation': operatorDecides('confirmed'),
  'POST /console/orders/:uuid/cancel': operatorDecides('confirmed'),

  'GET /machine': anybodyReads('page'),
  'GET /machine/orders/:uuid': operatorReads('page'),
  'GET /machine/orders/:uuid/history': operatorReads('object'),
  'GET /machine/orders/:uuid/history/events': { ...operatorReads('stream'), statuses: [200, 400] },

  'GET /healthz': anybodyReads('object'),
  'GET /readyz': anybodyReads('object'),
  'GET /metrics': anybodyReads('metrics'),

  'GET /pay/:uuid/:token': anybodyReads('page', { stage: 'paying', unknown: ofPayment }),
  'POST /pay/:uuid/:token': {
    stage: 'paying',
    caller: 'anybody',
    statuses: [200],
    body: form(card),
    unknown: ofPayment,
    answer: 'object',
  },
  'GET /pay/:uuid/:token/card/:card': anybodyReads('page', {
    stage: 'paying with a saved card',
    unknown: ofPayment,
  }),
  'POST /pay/:uuid/:token/card/:card': {
    stage: 'paying with a saved card',
    caller: 'anybody',
    statuses: [200],
    body: form(fc.constantFrom<Fields>({ cvc: '123' }, { cvc: '' })),
    unknown: { ...ofPayment, card: 404 },
    answer: 'object',
  },
  'GET /pay/:uuid/:token/3ds/:challenge': anybodyReads('page', {
    stage: 'challenged',
    unknown: { ...ofPayment, challenge: 404 },
  }),
  'POST /pay/:uuid/:token/3ds/:challenge': {
    stage: 'challenged',
    caller: 'anybody',
    statuses: [200, 400],
    body: form(fc.constantFrom<Fields>({ status: 'success' }, { status: 'failure' }, { status: 'SUCCESS' })),
    unknown: { ...ofPayment, challenge: 404 },
    answer: 'object',
  },
  'GET /verify/:uuid/:token': anybodyReads('page', { stage: 'in an ID session', unknown: ofOrder }),
  'POST /verify/:uuid/:token': {
    stage: 'in an ID session',
    caller: 'anybody',
    statuses: [200, 400],
    body: form(fc.constantFrom<Fields>({ status: 'VERIFIED' }, { status: 'FAILED' }, { status: 'ERROR' })),
    unknown: ofPayment,
    answer: 'object',
  },

  'POST /providers/:port': {
    stage: 'in an ID session',
    caller: 'anybody',
    statuses: [200, 400],
    body: { kind: 'callback', limit: 64 * KIB, valid: callback },
    unknown: { port: 404 },
    answer: 'object',
  },

  'GET /sandbox/triggers': anybodyReads('object'),
  'GET /sandbox/messages': anybodyReads('array', { statuses: [200, 400] }),
  'GET /sandbox/demo/orders': anybodyReads('array'),
  'POST /sandbox/demo/orders': {
    stage: 'placed',
    caller: 'anybody',
    statuses: [201, 400, 409],
    body: json(demoOrder),
    answer: 'object',
  },
  'POST /sandbox/demo/runs': {
    stage: 'placed',
    caller: 'anybody',
    statuses: [200, 400],
    body: json(
      fc
        .constantFrom('identifying', 'proving', 'proving.screening')
        .map((state) => ({ state: `checkout.open.${state}` })),
    ),
    answer: 'progress',
  },
  'GET /sandbox/demo/orders/:uuid/timeline': anybodyReads('object', { unknown: ofOrder }),
  'GET /sandbox/demo/orders/:uuid/history': anybodyReads('object', { unknown: ofOrder }),
  'GET /sandbox/demo/orders/:uuid/timeline/events': followedRoute('anybody'),
  'GET /sandbox/demo/orders/:uuid/history/events': followedRoute('anybody'),
  'GET /sandbox/orders/:uuid/timeline': merchantReads('object'),
  'GET /sandbox/orders/:uuid/timeline/events': followedRoute('merchant'),
  'GET /sandbox/clock': anybodyReads('object'),
  'POST /sandbox/clock/advance': {
    stage: 'placed',
    caller: 'anybody',
    statuses: [200, 400],
    body: json(fc.constantFrom<JsonObject>({ seconds: 0 }, { seconds: 0.5 }, { seconds: 2 })),
    answer: 'object',
  },

  'POST /sandbox/clock/next': { stage: 'placed', caller: 'anybody', statuses: [200, 409], answer: 'object' },
  'POST /sandbox/orders/:uuid/forks': forks('merchant'),
  'POST /sandbox/demo/orders/:uuid/forks': forks('anybody'),
  'POST /sandbox/sink': freeRead,

  'POST /demo/notify': demoWebhook,
  'POST /demo/events': demoWebhook,
  'POST /inbox/:token/ipn': unknownInbox,
  'POST /inbox/:token/events': unknownInbox,
  'GET /sandbox/inbox': merchantReads('object', {}),
  'POST /sandbox/inbox': merchantReads('object', {}),
  'GET /sandbox/inbox/events': merchantStream,
  'GET /sandbox/demo/inbox': anybodyReads('object'),
  'GET /sandbox/demo/inbox/events': { ...merchantStream, caller: 'anybody' },
  'GET /sandbox/drills': merchantReads('object', {}),
  'POST /sandbox/drills': { ...merchantReads('object', {}), statuses: [201, 400, 409], body: json(drill) },
  'DELETE /sandbox/drills': merchantReads('object', {}),
  'GET /sandbox/demo/drills': anybodyReads('object'),
  'POST /sandbox/demo/drills': anybodyReads('object', { statuses: [201, 400, 409], body: json(drill) }),
  'DELETE /sandbox/demo/drills': anybodyReads('object'),
  'GET /sandbox/listen': merchantStream,
  'GET /sandbox/listen/:number': { ...merchantReads('object', { number: 404 }), statuses: [404] },
  'POST /sandbox/listen/:number': {
    ...merchantReads('object', { number: 404 }),
    statuses: [400, 404],
    body: json(fc.constantFrom<JsonObject>({ status: 200, body: '' }, { error: 'timeout' }), 512),
  },
  'GET /openapi.json': anybodyReads('object', { statuses: [200, 304] }),
  'GET /docs': anybodyReads('page', { statuses: [200, 304] }),
  'GET /sdk/checkout.js': freeRead,
  'GET /sdk/plazo-checkout.js': freeRead,
  'GET /sdk/card-form.js': freeRead,
  'GET /sdk/machine.js': freeRead,
  'GET /sdk/machine.json': freeRead,
  'GET /sdk/pages/:script': { ...freeRead, statuses: [404] },
  'GET /privacy': anybodyReads('page'),
  'GET /': anybodyReads('page'),
  'GET /favicon.svg': freeRead,
  'GET /demo/return': anybodyReads('page'),
}
