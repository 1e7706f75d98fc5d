// Shops read here how their backend learns its credentials and the payment methods that it may offer.
import { Credentials, PaymentMethods, paymentMethods } from '@plazo/core'
import * as t from 'io-ts'
import { amount } from '../examples.ts'
import { answer, json, merchantCall, merchantHeader, NO_ORDER, type Operations, type Setting } from '../operation.ts'

// `total` null: for no particular order.
const payLater = (total: number | null) => json(PaymentMethods, { 'pay later': paymentMethods(['i1'], total, 'en') })

export const paymentMethodOperations = (setting: Setting): Operations => ({
  'GET /orders/:uuid/payment_methods': merchantCall('showPaymentMethodsOfOrder', 'List an order’s payment methods', {
    description: 'The merchant’s products that fit the order’s amount, in the order’s language.',
    parameters: merchantHeader(setting),
    answers: { 200: answer('The payment methods by category.', payLater(amount.value)) },
    problems: { 404: NO_ORDER },
  }),
  'GET /merchants/:ref/payment_methods': merchantCall('showPaymentMethods', 'List a merchant’s payment methods', {
    parameters: {
      'Accept-Language': { in: 'header', description: 'The language of the answer.', codec: t.string },
    },
    answers: { 200: answer('The payment methods by category.', payLater(null)) },
  }),
})

const demo: Credentials = {
  ref: 'demo',
  name: 'Demo',
  country: null,
  currency: 'EUR',
  signature_secret: '0123456789abcdef0123456789abcdef',
  verify_signature: true,
  options: { send_action_events_in_identification: false },
}

export const merchantOperations: Operations = {
  'GET /merchants/credentials': merchantCall('listCredentials', 'List the credentials of the account’s merchants', {
    answers: {
      200: answer(
        'One for each merchant, in the order they were added.',
        json(t.readonlyArray(Credentials), { demo: [demo] }),
      ),
    },
  }),
  'GET /merchants/:ref/credentials': merchantCall('showCredentials', 'Get a merchant’s credentials', {
    description: 'The most important one is signature_secret, which verifies webhook signatures.',
    answers: { 200: answer('The credentials.', json(Credentials, { demo })) },
  }),
}
