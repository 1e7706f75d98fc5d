// The request to each route that causes the most work on large data, with a description of that
// data.
import { basic, DEMO, orderBody, PERSON } from '../../harness/shop.ts'
import { LOUD, QUIET } from './large-data.ts'
import type { MeasuredServer } from './measured-server.ts'

export type RouteRequest = {
  /** The route as in the route table, and its large data. */
  readonly route: string
  readonly data: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * The caller who may use the route. Merchants and the public cannot call a route with 'operator'.
   */
  readonly caller: 'merchant' | 'anybody' | 'operator'
}

const KIB = 1024
const JSON_TYPE = { 'content-type': 'application/json' }
const CALLERS = {
  merchant: { authorization: basic(DEMO.username, DEMO.password) },
  operator: { authorization: basic('operator', 'operator') },
  anybody: {},
} as const

// As many of the shortest items as fit, with a matching total.
const manyItems = (bytes: number): string => {
  const item = '{"total_with_tax":1}'
  const count = Math.floor((bytes - 600) / (item.length + 1))
  const order = JSON.stringify(orderBody({ merchant: { notify_url: null, events_webhook: null } }))
  return order
    .replace('"order_total_with_tax":12100', `"order_total_with_tax":${count}`)
    .replace(/"items":\[.*?\]/, `"items":[${Array(count).fill(item).join(',')}]`)
}

// Items with an error in every member.
const wrongItems = (bytes: number): string => {
  const item = '{"total_with_tax":"x","quantity":"y","type":5}'
  const count = Math.floor((bytes - 600) / (item.length + 1))
  return JSON.stringify(orderBody()).replace(
    /"items":\[.*?\]/,
    `"items":[${Array(count).fill(item).join(',')}]`,
  )
}

const padBody = (body: object, bytes: number): string => {
  const text = JSON.stringify({ ...body, padding: '' })
  return text.replace(
    '"padding":""',
    `"padding":"${'x'.repeat(Math.max(0, bytes - Buffer.byteLength(text)))}"`,
  )
}

const manyMembers = (bytes: number): string => {
  const members = Array.from(
    { length: Math.floor((bytes - 600) / 14) },
    (_, n) => `"m${String(n).padStart(6, '0')}":1`,
  )
  return JSON.stringify(PERSON).replace(/\}$/, `,${members.join(',')}}`)
}

const fields = (bytes: number): string =>
  Array.from({ length: Math.floor(bytes / 10) }, (_, n) => `f${String(n).padStart(6, '0')}=1`).join(
    '&',
  )

const nestObjects = (bytes: number): string => {
  const depth = Math.floor((bytes - 600) / 2)
  return JSON.stringify(PERSON).replace(/\}$/, `,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`)
}

type ServerPaths = Pick<MeasuredServer, 'longOrder' | 'loudDelivery' | 'payPath' | 'verifyPath'>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export const requestsTo = ({
  longOrder,
  loudDelivery,
  payPath,
  verifyPath,
}: ServerPaths): readonly RouteRequest[] => {
  const requestsAs =
    (caller: RouteRequest['caller']) =>
    (
      route: string,
      data: string,
      path: string,
      body = '',
      headers: Readonly<Record<string, string>> = {},
    ) => ({
      caller,
      route,
      data,
      path,
      body,
      method: route.split(' ')[0] ?? 'GET',
      headers: { ...CALLERS[caller], ...(body === '' ? {} : JSON_TYPE), ...headers },
    })
  const [anybody, merchant, operator] = [
    requestsAs('anybody'),
    requestsAs('merchant'),
    requestsAs('operator'),
  ]
  const html = { accept: 'text/html' }
  const order = `/orders/${longOrder}`
  const checkout = `/api/v1/checkout/${longOrder}`
  return [
    anybody('GET /healthz', 'nothing', '/healthz'),
    anybody('GET /readyz', 'nothing', '/readyz'),
    anybody('GET /metrics', '1,000 deliveries', '/metrics'),
    anybody('GET /openapi.json', 'the document', '/openapi.json'),
    anybody('GET /docs/reference.js', 'a script of 4.9 MB', '/docs/reference.js'),
    anybody('GET /privacy', 'a page', '/privacy'),
    anybody('GET /sdk/checkout.js', 'a script', '/sdk/checkout.js'),
    anybody('GET /sdk/card-form.js', 'a script', '/sdk/card-form.js'),
    anybody('GET /assets/:file{.+}', 'a script', '/assets/payment-frame.js'),
    merchant(
      'GET /merchants/:ref/deliveries',
      '12 deliveries with answers of control characters',
      `/merchants/${LOUD}/deliveries`,
    ),
    merchant(
      'GET /merchants/:ref/deliveries/:id',
      '50 answers of 16 KiB of control characters',
      `/merchants/${LOUD}/deliveries/${loudDelivery}`,
    ),
    merchant(
      'GET /merchants/:ref/deliveries',
      '1,000 deliveries',
      `/merchants/${QUIET}/deliveries`,
    ),
    merchant('GET /orders/:uuid', '20,000 lines', order),
    merchant('GET /orders/:uuid/history', '20,000 lines', `${order}/history`),
    merchant('GET /orders/:uuid/payment_methods', 'an order', `${order}/payment_methods`),
    merchant('GET /orders/:uuid/form_v2', 'an order', `${order}/form_v2`),
    merchant('GET /merchants/credentials', '2 merchants', '/merchants/credentials'),
    merchant('GET /merchants/:ref/credentials', 'a merchant', `/merchants/${LOUD}/credentials`),
    merchant(
      'GET /merchants/:ref/payment_methods',
      'a merchant',
      `/merchants/${LOUD}/payment_methods?country=ES&currency=EUR&total=12100`,
    ),
    anybody('GET /sandbox/pay/:uuid/:token', 'an order', payPath),
    anybody('GET /sandbox/verify/:uuid/:token', 'an order', verifyPath),
    anybody(
      'POST /sandbox/pay/:uuid/:token',
      '64 KiB, an invalid card',
      payPath,
      fields(64 * KIB),
      FORM,
    ),
    anybody(
      'POST /sandbox/verify/:uuid/:token',
      '64 KiB, no status',
      verifyPath,
      fields(64 * KIB),
      FORM,
    ),
    anybody('GET /demo/return', 'a page', '/demo/return'),
    anybody('POST /demo/notify', '64 KiB, unsigned', '/demo/notify', fields(64 * KIB), FORM),
    anybody('GET /sandbox/clock', 'the clock', '/sandbox/clock'),
    anybody('GET /api/v1/checkout/:uuid/wait', '20,000 lines', `${checkout}/wait`),
    anybody('GET /api/v1/checkout/:uuid/metadata', 'an order', `${checkout}/metadata`),
    anybody('GET /sandbox/messages', 'an order', `/sandbox/messages?order_ref=${longOrder}`),
    anybody('GET /sandbox/triggers', 'the list', '/sandbox/triggers'),
    merchant('POST /orders', '1 MiB, 50,000 items', '/orders', manyItems(1024 * KIB)),
    merchant('POST /orders', '1 MiB, 22,000 wrong items', '/orders', wrongItems(1024 * KIB)),
    merchant('POST /orders', '1 MiB, one text', '/orders', padBody(orderBody(), 1024 * KIB)),
    merchant('PUT /orders/:uuid', '1 MiB, 50,000 items', order, manyItems(1024 * KIB)),
    merchant(
      'PUT /merchants/:ref/orders/:order_ref_1',
      '1 MiB, 50,000 items',
      `/merchants/${LOUD}/orders/none`,
      manyItems(1024 * KIB),
    ),
    anybody(
      'POST /api/v1/checkout/:uuid/identification',
      '64 KiB, 4,600 members',
      `${checkout}/identification`,
      manyMembers(64 * KIB),
    ),
    anybody(
      'POST /api/v1/checkout/:uuid/identification',
      '64 KiB, nested',
      `${checkout}/identification`,
      nestObjects(64 * KIB),
    ),
    anybody(
      'POST /providers/:port',
      '64 KiB, unsigned',
      '/providers/identity',
      manyMembers(64 * KIB),
    ),
    anybody('POST /demo/events', '64 KiB, unsigned', '/demo/events', manyMembers(64 * KIB)),
    operator('GET /console', '10,000 orders', '/console', '', html),
    operator(
      'GET /console/orders',
      'a search through 10,000 orders',
      '/console/orders?search=none',
      '',
      html,
    ),
    operator('GET /console/orders/:uuid', '20,000 lines', `/console/orders/${longOrder}`, '', html),
    operator('GET /console/merchants', '302 merchants', '/console/merchants', '', html),
    merchant(
      'POST /merchants/:ref/deliveries/recover',
      '1,000 deliveries',
      `/merchants/${QUIET}/deliveries/recover`,
      '{"since":"2026-01-01T00:00:00Z"}',
    ),
  ]
}
