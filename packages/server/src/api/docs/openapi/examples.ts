// Examples that several operations share. A test sends every one to a running server.
import {
  type Legal,
  NEW_CONTEXT,
  type Order,
  type OrderContext,
  orderView,
  type WireNames,
} from '@plazo/core'
import { CATALOGUE, type HistoryLine, type LegalFacts, type Money } from '@plazo/core/protocol'

/** The order and the token in the examples. */
export const ORDER_REF = '0b8e6f5c-7f0e-4c53-9a6f-3d0f6c1f2a11'
export const TOKEN = 'kK0VbFq3TzqY1xQ5mZr2Jw'

export const AT = '2026-01-31T12:00:00.000Z'

export const amount: Money = { value: 12_100, string: '€121.00' }

export const person = ({ privacyField }: WireNames) => ({
  given_names: 'Ana María',
  surnames: 'Prueba Ensayo',
  dob_day: '02',
  dob_month: '01',
  dob_year: '1980',
  mobile_phone: '600123456',
  nin: '12345678Z',
  address: 'Calle Mayor 1',
  postal_code: '28013',
  city: 'Madrid',
  [privacyField]: true as const,
})

const items = [
  {
    type: 'product',
    reference: 'SKU-1',
    name: 'Lamp',
    quantity: 1,
    price_with_tax: 12_100,
    total_with_tax: 12_100,
  },
]

export const cart = { currency: 'EUR', order_total_with_tax: 12_100, items }
export const emptyCart = { currency: 'EUR', order_total_with_tax: 0, items: [] }

export const smallOrder = (shop: string) => ({
  order: { merchant: { id: 'demo', return_url: `${shop}/return` }, cart },
})

export const wholeOrder = (shop: string) => ({
  order: {
    merchant: {
      id: 'demo',
      return_url: `${shop}/return?product=SQ_PRODUCT_CODE`,
      notify_url: `${shop}/notify`,
      notification_parameters: { cart: '42' },
      events_webhook: { url: `${shop}/events`, parameters: { shop: '7' } },
    },
    merchant_reference: { order_ref_2: 'web' },
    product_code: 'i1',
    customer: { language_code: 'es_ES' },
    cart,
  },
})

export const historyLine: HistoryLine = {
  seq: 7,
  at: '2026-01-31T12:01:07.000Z',
  event: 'ipn.accepted',
  from: { checkout: 'confirming', risk: 'unassessed', cancellation: 'none' },
  to: { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' },
  detail: null,
}

const facts: LegalFacts = {
  lender: {
    name: 'Lender',
    address: '1 High Street, Madrid',
    supervisor: 'Bank of Spain, register number 0000',
  },
  conditions_url: 'https://lender.example/conditions',
  pre_contract_url: 'https://lender.example/information',
  withdrawal: 'You may withdraw from the credit within 14 days, without giving a reason.',
  contact: 'person@lender.example',
}
export const exampleLegal: Legal = {
  facts: { en: facts, es: facts },
  withoutCredit: null,
  missing: [],
}

/** The time of every order here. */
export const NOON = Date.parse(AT)

/** `changes`: what differs from a new order's context. */
export const orderAt = (
  checkout: Order['state']['checkout'],
  changes: Partial<OrderContext> = {},
): Order => ({
  placed: {
    orderRef: ORDER_REF,
    placedAt: NOON,
    merchant: {
      ref: 'demo',
      account: 'demo',
      country: null,
      products: CATALOGUE.map(({ code }) => code),
      optionalFields: [],
      sendsActionEvents: false,
    },
    notifyUrl: null,
    notificationParameters: {},
    returnUrl: 'https://shop.example/return',
    eventsWebhook: null,
    currency: 'EUR',
    total: amount.value,
    language: null,
    productCode: 'i1',
  },
  revision: 7,
  state: { checkout, risk: 'unassessed', cancellation: 'none' },
  context: { ...NEW_CONTEXT, updatedAt: NOON, ...changes },
})

export const payment: OrderContext['payments'][number] = {
  key: `${ORDER_REF}:6:payment`,
  token: TOKEN,
  amount: amount.value,
  state: 'open',
  providerUrl: null,
  challenge: null,
  voidedBy: null,
  refundedBy: null,
  refunds: [],
}

export const session: OrderContext['session'] = { token: TOKEN, errors: 0, providerUrl: null }

/** A screening whose window has the given number of seconds left. */
export const screeningFor = (seconds: number): OrderContext['screening'] => ({
  rounds: 1,
  deadlineAt: NOON + seconds * 1000,
  outcome: null,
})

export const confirmedOrder = orderView(
  orderAt('confirmed', { references: { first: 'A-1001', second: '' } }),
)
