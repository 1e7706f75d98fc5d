// Describes the routes in payment-methods.ts for the OpenAPI document.
import { Credentials, PaymentMethods, paymentMethods } from '@plazo/core'
import * as t from 'io-ts'
import { amount } from '../examples.ts'
import { answer, json, NO_ORDER, type Operations, type Setting } from '../operation.ts'
import { merchantHeader } from './orders.ts'

// `total` null: for no particular order.
const payLater = (total: number | null) => json(PaymentMethods, { 'pay later': paymentMethods(['i1'], total, 'en') })

export const paymentMethodOperations = ({ names }: Setting): Operations => ({
  'GET /orders/:uuid/payment_methods': {
    id: 'showPaymentMethodsOfOrder',
    caller: 'merchant',
    title: 'See what an order may be paid with',
    description: 'Of the merchant’s products those that its amount fits, in the language of the order.',
    parameters: merchantHeader(names.merchantHeader),
    answers: { 200: answer('By category.', payLater(amount.value)) },
    problems: { 404: NO_ORDER },
  },
  'GET /merchants/:ref/payment_methods': {
    id: 'showPaymentMethods',
    caller: 'merchant',
    title: 'See what a merchant’s orders may be paid with',
    parameters: {
      'Accept-Language': { in: 'header', description: 'The language to be answered in.', codec: t.string },
    },
    answers: { 200: answer('By category.', payLater(null)) },
  },
})

// Describes the routes in merchants.ts for the OpenAPI document.

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
  'GET /merchants/credentials': {
    id: 'listCredentials',
    caller: 'merchant',
    title: 'See the credentials of all the account’s merchants',
    answers: {
      200: answer(
        'One for each merchant, in the order they were added.',
        json(t.readonlyArray(Credentials), { demo: [demo] }),
      ),
    },
  },
  'GET /merchants/:ref/credentials': {
    id: 'showCredentials',
    caller: 'merchant',
    title: 'See a merchant’s credentials',
    description: 'Above all signature_secret, which verifies the signatures of webhooks.',
    answers: { 200: answer('The credentials.', json(Credentials, { demo })) },
  },
}
