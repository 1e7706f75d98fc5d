// Shops read here how they place, confirm and update an order, and where its hosted form is.
import {
  ConfirmOrderPayload,
  History,
  OrderRefusal,
  OrderView,
  PlaceOrderPayload,
  UpdateOrderPayload,
} from '@plazo/core'
import * as t from 'io-ts'
import { ORDER_KIB_MAX } from '../../http/request.ts'
import { cart, confirmedOrder, emptyCart, historyLine, smallOrder, wholeOrder } from '../examples.ts'
import {
  answer,
  call,
  JAVASCRIPT,
  jsonAnswer,
  jsonRequest,
  merchantHeader,
  NO_PRODUCT,
  type Operations,
  ORDER_REF,
  PAGE,
  PRODUCT_QUERY,
  type Setting,
  shopOf,
} from '../operation.ts'

const refusal = (sentence: string) =>
  jsonAnswer('Refused, with one sentence per error.', OrderRefusal, { refused: { errors: [sentence] } })

const UPDATE = 'PUT /merchants/:ref/orders/:order_ref_1{[^]+}'

export const orderOperations = (setting: Setting): Operations => {
  const shop = shopOf(setting)
  const parameters = merchantHeader(setting)
  return {
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
        204: answer('Placed.', [], { Location: `The order, as ${setting.baseUrl}/orders/${ORDER_REF}.` }),
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
    'PUT /orders/:uuid': call.merchant('confirmOrder', 'Confirm or hold an order, or set its references', {
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
        409: refusal('Invalid data: order.state is "confirmed", which is not possible while the order is identifying.'),
      },
    }),
    [UPDATE]: call.merchant('updateOrder', 'Report what was shipped, or cancel the order', {
      description: 'The Order Update API. Two empty carts with total 0 cancel the order. Anything else is recorded.',
      body: jsonRequest(UpdateOrderPayload, {
        shipped: { order: { merchant_reference: {}, shipped_cart: cart, unshipped_cart: emptyCart } },
        cancelled: {
          order: { shipped_cart: emptyCart, unshipped_cart: emptyCart, cancellation_reason: 'Out of stock.' },
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

/** The hosted checkout, and the scripts of all pages. */
export const hostedCheckoutOperations = (setting: Setting): Operations => ({
  'GET /orders/:uuid/form_v2': call.merchant('showHostedForm', 'Fetch the hosted checkout', {
    description:
      'A complete page for the shopper’s browser in the order’s language, from the first field to the return_url.',
    parameters: {
      ...merchantHeader(setting),
      product: PRODUCT_QUERY,
    },
    ok: PAGE,
    problems: { 400: NO_PRODUCT },
  }),
  'GET /sdk/checkout.js': call.frontend('checkoutScript', 'Load the module that drives a checkout', {
    description:
      'For a frontend of your own: startCheckout asks the identification and wait endpoints, tries again where that helps, and calls back once per action.',
    ok: answer('The module.', JAVASCRIPT),
  }),
  'GET /sdk/plazo-checkout.js': call.frontend(
    'checkoutElementScript',
    'Load the custom element of the whole checkout',
    {
      description: 'It defines <plazo-checkout order="…">, which shows every step in any page.',
      ok: answer('The module.', JAVASCRIPT),
    },
  ),
  'GET /sdk/pages/:script': call.frontend('pageScript', 'Load a script of one of plazo’s pages', {
    description: 'The pages name it, with a version that changes with its text.',
    ok: answer('The script.', JAVASCRIPT),
    problems: { 404: 'No page has this script.' },
  }),
})
