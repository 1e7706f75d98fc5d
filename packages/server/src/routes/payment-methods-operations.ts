// Describes the routes in payment-methods.ts for the OpenAPI document.
import { PaymentMethods, paymentMethods } from '@plazo/core'
import * as t from 'io-ts'
import { amount } from '../openapi/examples.ts'
import { answer, json, NO_ORDER, type Operations, type Setting } from '../openapi/operation.ts'
import { merchantHeader } from './orders-operations.ts'

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
