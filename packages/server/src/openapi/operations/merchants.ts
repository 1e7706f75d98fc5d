// Shops read here how their backend learns its credentials and the payment methods that it may offer.
import { Credentials, PaymentMethods, paymentMethods } from '@plazo/core'
import * as t from 'io-ts'
import { amount } from '../examples.ts'
import { answer, call, header, json, jsonAnswer, merchantHeader, type Operations, type Setting } from '../operation.ts'

// `total` null: for no particular order.
const payLater = (total: number | null) => json(PaymentMethods, { 'pay later': paymentMethods(['i1'], total, 'en') })

const demo: Credentials = {
  ref: 'demo',
  name: 'Demo',
  country: null,
  currency: 'EUR',
  signature_secret: '0123456789abcdef0123456789abcdef',
  verify_signature: true,
  options: { send_action_events_in_identification: false },
}

export const merchantOperations = (setting: Setting): Operations => ({
  'GET /merchants/credentials': call.merchant('listCredentials', 'List the credentials of the account’s merchants', {
    ok: jsonAnswer('One for each merchant, in the order they were added.', t.readonlyArray(Credentials), {
      demo: [demo],
    }),
  }),
  'GET /merchants/:ref/credentials': call.merchant('showCredentials', 'Get a merchant’s credentials', {
    description: 'The most important one is signature_secret, which verifies webhook signatures.',
    ok: jsonAnswer('The credentials.', Credentials, { demo }),
  }),
  'GET /orders/:uuid/payment_methods': call.merchant('showPaymentMethodsOfOrder', 'List an order’s payment methods', {
    description: 'The merchant’s products that fit the order’s amount, in the order’s language.',
    parameters: merchantHeader(setting),
    ok: answer('The payment methods by category.', payLater(amount.value)),
  }),
  'GET /merchants/:ref/payment_methods': call.merchant('showPaymentMethods', 'List a merchant’s payment methods', {
    parameters: { 'Accept-Language': header('The language of the answer.') },
    ok: answer('The payment methods by category.', payLater(null)),
  }),
})
