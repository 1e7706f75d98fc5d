// Shops' backends read here their credentials and payment methods, and place, confirm and look at
// orders. The credentials hold the secret that verifies signatures. Interface §4.3, contract §3.

import { setImmediate as endOfTurn } from 'node:timers/promises'
import {
  ConfirmOrderPayload,
  Credentials,
  confirmOrder,
  ExplanationView,
  explainOrder,
  explanationView,
  History,
  isJsonObject,
  languageOf,
  type Merchant,
  type Order,
  OrderRefusal,
  OrderView,
  orderView,
  PaymentMethods,
  PlaceOrderPayload,
  paymentMethods,
  placeOrder,
  readHistory,
  UpdateOrderPayload,
  updateOrder,
} from '@plazo/core/internal'
import type { Context } from 'hono'
import * as t from 'io-ts'
import { anyOrder } from '../../http/access.ts'
import {
  acceptedLanguage,
  invalidValue,
  type JsonObject,
  jsonBody,
  ORDER_KIB_MAX,
} from '../../http/request.ts'
import {
  type Answer,
  accessBy,
  answer,
  bodyOf,
  header,
  json,
  jsonAnswer,
  jsonRequest,
  type Route,
  route,
  uuidParam,
  value,
} from '../../http/route.ts'
import type { Services } from '../../http/services.ts'
import {
  amount,
  cart,
  confirmedOrder,
  emptyCart,
  historyLine as exampleLine,
  ORDER_REF,
  smallOrder,
  wholeOrder,
} from '../docs/openapi/examples.ts'
import { streamHistory } from './order-lines.ts'
import { merchantOrdersRoute } from './order-list.ts'

const credentials = ({
  ref,
  name,
  country,
  currency,
  signatureSecret,
  sendActionEvents,
}: Merchant): Credentials => ({
  ref,
  name,
  country,
  currency,
  signature_secret: signatureSecret,
  verify_signature: true,
  options: { send_action_events_in_identification: sendActionEvents },
})

const objectIn = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

const merchantIn = (body: JsonObject): JsonObject => objectIn(objectIn(body.order).merchant)

/** The merchant that a body names, if it names one. */
const merchantNamedIn = (body: JsonObject): string | null => {
  const { id } = merchantIn(body)
  return typeof id === 'string' && id !== '' ? id : null
}

// Shops that name the merchant in the header may leave it out of the body.
const withMerchant = (body: JsonObject, merchantRef: string): JsonObject => {
  const { order } = body
  if (!isJsonObject(order) || !isJsonObject(order.merchant)) return body
  const { id = null } = order.merchant
  if (id !== null && id !== '') return body
  return { ...body, order: { ...order, merchant: { ...order.merchant, id: merchantRef } } }
}

const exampleCredentials: Credentials = {
  ref: 'demo',
  name: 'Demo',
  country: null,
  currency: 'EUR',
  signature_secret: '0123456789abcdef0123456789abcdef',
  verify_signature: true,
  options: { send_action_events_in_identification: false },
}

// `total` null: for no particular order.
const payLater = (total: number | null) =>
  answer(
    'The payment methods by category.',
    json(PaymentMethods, { 'pay later': paymentMethods(['i1'], { total, currency: 'EUR' }, 'en') }),
  )

const KEY_HEADER = 'Idempotency-Key'
const KEY_EXPECTED = '1 to 255 printable ASCII characters'

/** Null: the request has none. Throws a `HandlerError` for one that is malformed. */
const idempotencyKey = (c: Context): string | null => {
  const key = c.req.header(KEY_HEADER)
  if (key === undefined) return null
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw invalidValue(KEY_HEADER, key, KEY_EXPECTED)
}

const refusal = (sentence: string): Answer =>
  jsonAnswer('Refused, with one sentence per error.', OrderRefusal, {
    refused: { errors: [sentence] },
  })

const THE_ORDER = jsonAnswer('The current order.', OrderView, { confirmed: confirmedOrder })

export const orderRoutes = (services: Services): readonly Route[] => {
  const { host, records, access, byAccount, byMerchant, byOwner, operatorOr, setting } = services
  const { checkUrl, checkPage } = services.urls
  const { merchantHeader } = host.terms.names
  const place = placeOrder(host, checkUrl, checkPage)
  const confirm = confirmOrder(host)
  const update = updateOrder(host)
  const history = readHistory(host.store, () => endOfTurn())
  const { shop } = setting

  return [
    route(
      'GET /merchants/credentials',
      'listCredentials',
      'List the credentials of the account’s merchants',
      {
        access: accessBy('merchant', access.account),
        ok: jsonAnswer(
          'One for each merchant, in the order they were added.',
          t.readonlyArray(Credentials),
          { demo: [exampleCredentials] },
        ),
        handle: (account) => account.map(credentials),
      },
    ),
    route('GET /merchants/:ref/credentials', 'showCredentials', 'Get a merchant’s credentials', {
      access: byMerchant,
      description: 'The most important one is signature_secret, which verifies webhook signatures.',
      ok: jsonAnswer('The credentials.', Credentials, { demo: exampleCredentials }),
      handle: credentials,
    }),
    route('POST /orders', 'placeOrder', 'Place an order', {
      access: accessBy(
        'merchant',
        async (c) => ({ account: await access.account(c), key: idempotencyKey(c) }),
        byAccount.parameters,
      ),
      description: 'Creates the order. Its uuid is the last part of Location.',
      parameters: {
        [KEY_HEADER]: header(
          `${KEY_EXPECTED}. Within 24 hours, a request with the same key and body answers with the order of the first one, for example after a time-out. Another body is refused.`,
        ),
      },
      body: bodyOf(
        jsonRequest(PlaceOrderPayload, {
          'only what is required': smallOrder(shop),
          'with receivers': wholeOrder(shop),
        }),
        jsonBody,
      ),
      kibMax: ORDER_KIB_MAX,
      status: 204,
      ok: answer<string>('Placed.', undefined, {
        Location: `The order, as ${setting.baseUrl}/orders/${ORDER_REF}.`,
      }),
      answers: {
        409: refusal(
          "Invalid data: items' total_with_tax add up to 5055 but order_total_with_tax is 5097. The diff is 42.",
        ),
      },
      refusesBySentences: true,
      headers: (orderRef) => ({ location: `${setting.baseUrl}/orders/${orderRef}` }),
      handle: async ({ account, key }, body, c) => {
        const merchant = access.choose(c, account, merchantNamedIn(body))
        return value(
          place(
            merchant,
            c.req.header(merchantHeader) === undefined ? body : withMerchant(body, merchant.ref),
            key === null ? null : { key, hash: records.hash },
          ),
        )
      },
    }),
    merchantOrdersRoute(services),
    route('GET /orders/:uuid', 'showOrder', 'Get an order', {
      access: byOwner,
      description: 'The order’s status, without the shopper’s data.',
      ok: THE_ORDER,
      handle: orderView,
    }),
    route('GET /orders/:uuid/history', 'showHistory', 'Get an order’s history', {
      access: byOwner,
      ok: jsonAnswer('Its journal, oldest first.', History, { 'one line': [exampleLine] }),
      handle: async ({ placed }, _, c) => streamHistory(c, await value(history(placed.orderRef))),
    }),
    route('GET /orders/:uuid/explanation', 'explainOrder', 'Explain an order', {
      access: { ...byOwner, load: operatorOr<Order>(anyOrder(host), byOwner.load) },
      description:
        'Where the order is, whom it awaits, and what happens next by itself. The operator’s credentials show it for any order.',
      ok: jsonAnswer('The explanation.', ExplanationView),
      handle: async (order) => explanationView(order, await value(explainOrder(host)(order))),
    }),
    route('PUT /orders/:uuid', 'confirmOrder', 'Confirm or hold an order, or set its references', {
      access: accessBy(
        'merchant',
        async (c) => ({ account: await access.account(c), orderRef: uuidParam(c) }),
        byAccount.parameters,
      ),
      description:
        'Confirms or holds the order in place of the answer to the IPN. While the IPN is in flight, its answer completes the change. Repeating a state already reached is accepted.',
      body: bodyOf(
        jsonRequest(ConfirmOrderPayload, {
          confirmed: { order: { state: 'confirmed' } },
          references: { order: { merchant_reference: { order_ref_2: 'web' } } },
        }),
        jsonBody,
      ),
      kibMax: ORDER_KIB_MAX,
      ok: THE_ORDER,
      answers: {
        409: refusal(
          'Invalid data: order.state is "confirmed", which is not possible while the order is identifying.',
        ),
      },
      refusesBySentences: true,
      handle: async ({ account: merchants, orderRef }, body, c) => {
        const { username: account } = access.choose(c, merchants, merchantNamedIn(body))
        return orderView(await value(confirm({ account }, orderRef, body)))
      },
    }),
    // A shop's reference of its order may contain slashes, and line breaks too, which a dot does
    // not match.
    route(
      'PUT /merchants/:ref/orders/:order_ref_1{[^]+}',
      'updateOrder',
      'Report what was shipped, or cancel the order',
      {
        access: byMerchant,
        description:
          'The Order Update API. Both carts together always cover the whole order. A smaller sum reduces it: what was paid beyond the new total is refunded. A larger sum is refused, and the same carts again change nothing. Two carts without items cancel the order.',
        body: bodyOf(
          jsonRequest(UpdateOrderPayload, {
            shipped: {
              order: { merchant_reference: {}, shipped_cart: cart, unshipped_cart: emptyCart },
            },
            reduced: {
              order: {
                shipped_cart: {
                  ...emptyCart,
                  order_total_with_tax: 6_050,
                  items: [{ total_with_tax: 6_050 }],
                },
                unshipped_cart: emptyCart,
              },
            },
            cancelled: {
              order: {
                shipped_cart: emptyCart,
                unshipped_cart: emptyCart,
                cancellation_reason: 'Out of stock.',
              },
            },
          }),
          jsonBody,
        ),
        kibMax: ORDER_KIB_MAX,
        ok: jsonAnswer('Taken.', t.strict({})),
        answers: {
          409: refusal(
            "Invalid data: shipped_cart items' total_with_tax add up to 0 but order_total_with_tax is 1. The diff is 1.",
          ),
        },
        problems: { 404: 'The order does not exist, is not confirmed, or is cancelled.' },
        refusesBySentences: true,
        handle: async ({ ref }, body, c) => {
          await value(update(ref, c.req.param('order_ref_1'), body))
          return {}
        },
      },
    ),
    route(
      'GET /orders/:uuid/payment_methods',
      'showPaymentMethodsOfOrder',
      'List an order’s payment methods',
      {
        access: byOwner,
        description:
          'The merchant’s products that fit the order’s amount, in the order’s language.',
        ok: payLater(amount.value),
        handle: ({ placed }) =>
          paymentMethods(placed.merchant.products, placed, languageOf(placed.language)),
      },
    ),
    route(
      'GET /merchants/:ref/payment_methods',
      'showPaymentMethods',
      'List a merchant’s payment methods',
      {
        access: byMerchant,
        parameters: { 'Accept-Language': header('The language of the answer.') },
        ok: payLater(null),
        headers: () => ({ vary: 'Accept-Language' }),
        handle: ({ products, currency, country }, _, c) =>
          paymentMethods(products, { total: null, currency }, acceptedLanguage(c, country)),
      },
    ),
  ]
}
