// Shops read here how their backend learns its credentials and the payment methods that it may
// offer, and how it places, confirms and updates an order.
import { paymentMethods } from '@plazo/core'
import {
  ConfirmOrderPayload,
  Credentials,
  History,
  OrderRefusal,
  OrderView,
  PaymentMethods,
  PlaceOrderPayload,
  UpdateOrderPayload,
} from '@plazo/core/protocol'
import * as t from 'io-ts'
import { ORDER_KIB_MAX } from '../../../http/body.ts'
import {
  amount,
  cart,
  confirmedOrder,
  emptyCart,
  historyLine,
  smallOrder,
  wholeOrder,
} from '../examples.ts'
import {
  answer,
  call,
  header,
  json,
  jsonAnswer,
  jsonRequest,
  merchantHeader,
  type Operations,
  ORDER_REF,
  type Setting,
  shopOf,
} from '../operation.ts'

// `total` null: for no particular order.
const payLater = (total: number | null) =>
  json(PaymentMethods, { 'pay later': paymentMethods(['i1'], { total, currency: 'EUR' }, 'en') })

const demo: Credentials = {
  ref: 'demo',
  name: 'Demo',
  country: null,
  currency: 'EUR',
  signature_secret: '0123456789abcdef0123456789abcdef',
  verify_signature: true,
  options: { send_action_events_in_identification: false },
}

const refusal = (sentence: string) =>
  jsonAnswer('Refused, with one sentence per error.', OrderRefusal, {
    refused: { errors: [sentence] },
  })

const UPDATE = 'PUT /merchants/:ref/orders/:order_ref_1{[^]+}'

export const orderOperations = (setting: Setting): Operations => {
  const shop = shopOf(setting)
  const parameters = merchantHeader(setting)
  return {
    'GET /merchants/credentials': call.merchant(
      'listCredentials',
      'List the credentials of the account’s merchants',
      {
        ok: jsonAnswer(
          'One for each merchant, in the order they were added.',
          t.readonlyArray(Credentials),
          {
            demo: [demo],
          },
        ),
      },
    ),
    'GET /merchants/:ref/credentials': call.merchant(
      'showCredentials',
      'Get a merchant’s credentials',
      {
        description:
          'The most important one is signature_secret, which verifies webhook signatures.',
        ok: jsonAnswer('The credentials.', Credentials, { demo }),
      },
    ),
    'GET /orders/:uuid/payment_methods': call.merchant(
      'showPaymentMethodsOfOrder',
      'List an order’s payment methods',
      {
        description:
          'The merchant’s products that fit the order’s amount, in the order’s language.',
        parameters,
        ok: answer('The payment methods by category.', payLater(amount.value)),
      },
    ),
    'GET /merchants/:ref/payment_methods': call.merchant(
      'showPaymentMethods',
      'List a merchant’s payment methods',
      {
        parameters: { 'Accept-Language': header('The language of the answer.') },
        ok: answer('The payment methods by category.', payLater(null)),
      },
    ),
    'POST /orders': call.merchant('placeOrder', 'Place an order', {
      keepsLocation: 'ORDER',
      description: 'Creates the order. Its uuid is the last part of Location.',
      parameters,
      body: jsonRequest(PlaceOrderPayload, {
        'only what is required': smallOrder(shop),
        'with receivers': wholeOrder(shop),
      }),
      kibMax: ORDER_KIB_MAX,
      answers: {
        204: answer('Placed.', [], {
          Location: `The order, as ${setting.baseUrl}/orders/${ORDER_REF}.`,
        }),
        409: refusal(
          "Invalid data: items' total_with_tax add up to 5055 but order_total_with_tax is 5097. The diff is 42.",
        ),
      },
    }),
    'GET /orders/:uuid': call.merchant('showOrder', 'Get an order', {
      description: 'The order’s status, without the shopper’s data.',
      parameters,
      ok: jsonAnswer('The order.', OrderView, { confirmed: confirmedOrder }),
    }),
    'GET /orders/:uuid/history': call.merchant('showHistory', 'Get an order’s history', {
      parameters,
      ok: jsonAnswer('Its journal, oldest first.', History, { 'one line': [historyLine] }),
    }),
    'PUT /orders/:uuid': call.merchant(
      'confirmOrder',
      'Confirm or hold an order, or set its references',
      {
        description:
          'Confirms or holds the order in place of the answer to the IPN. While the IPN is in flight, its answer completes the change. Repeating a state already reached is accepted.',
        parameters,
        body: jsonRequest(ConfirmOrderPayload, {
          confirmed: { order: { state: 'confirmed' } },
          references: { order: { merchant_reference: { order_ref_2: 'web' } } },
        }),
        kibMax: ORDER_KIB_MAX,
        answers: {
          200: jsonAnswer('The current order.', OrderView, { confirmed: confirmedOrder }),
          409: refusal(
            'Invalid data: order.state is "confirmed", which is not possible while the order is identifying.',
          ),
        },
      },
    ),
    [UPDATE]: call.merchant('updateOrder', 'Report what was shipped, or cancel the order', {
      description:
        'The Order Update API. Both carts together always cover the whole order. A smaller sum reduces it: what was paid beyond the new total is refunded. A larger sum is refused, and the same carts again change nothing. Two carts without items cancel the order.',
      body: jsonRequest(UpdateOrderPayload, {
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
      kibMax: ORDER_KIB_MAX,
      answers: {
        200: jsonAnswer('Taken.', t.strict({})),
        409: refusal(
          "Invalid data: shipped_cart items' total_with_tax add up to 0 but order_total_with_tax is 1. The diff is 1.",
        ),
      },
      problems: { 404: 'The order does not exist, is not confirmed, or is cancelled.' },
    }),
  }
}
