// What the document says of the routes in payment-methods.ts.
import { PaymentMethods } from '@plazo/core'
import * as t from 'io-ts'
import { answer, json, NO_ORDER, type Operations, type Setting } from '../openapi/operation.ts'
import { merchantHeader } from './orders-operations.ts'

const methods = (instalmentTotal: number) =>
  json(PaymentMethods, {
    'pay later': {
      payment_options: [
        {
          category: 'pay_later',
          title: 'Pay later',
          description: 'Receive the order first, and pay for it then.',
          icon: '<svg xmlns="http://www.w3.org/2000/svg"/>',
          methods: [
            {
              product: 'i1',
              title: 'Pay later',
              long_title: 'Receive first, pay later',
              starts_at: '2020-01-01T00:00:00.000Z',
              ends_at: '2099-12-31T00:00:00.000Z',
              cost: { setup_fee: 0, instalment_fee: 0, down_payment_fees: 0, instalment_total: instalmentTotal },
              min_amount: 100,
              max_amount: 1_000_000,
            },
          ],
        },
      ],
    },
  })

export const paymentMethodOperations = ({ names }: Setting): Operations => ({
  'GET /orders/:uuid/payment_methods': {
    id: 'showPaymentMethodsOfOrder',
    caller: 'merchant',
    title: 'See what an order may be paid with',
    tells: 'Of the merchant’s products those that its amount fits, in the language of the order.',
    parameters: merchantHeader(names.merchantHeader),
    answers: { 200: answer('By category.', methods(12_100)) },
    problems: { 404: NO_ORDER },
  },
  'GET /merchants/:ref/payment_methods': {
    id: 'showPaymentMethods',
    caller: 'merchant',
    title: 'See what a merchant’s orders may be paid with',
    parameters: {
      'Accept-Language': { in: 'header', tells: 'The language to be answered in.', codec: t.string },
    },
    answers: { 200: answer('By category.', methods(0)) },
  },
})
