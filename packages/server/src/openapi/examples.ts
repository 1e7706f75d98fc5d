// Examples that several operations share. A test sends every one to a running server.
import type { HistoryLine, Money, OrderView, WireNames } from '@plazo/core'

export const ORDER_REF = '0b8e6f5c-7f0e-4c53-9a6f-3d0f6c1f2a11'
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
  { type: 'product', reference: 'SKU-1', name: 'Lamp', quantity: 1, price_with_tax: 12_100, total_with_tax: 12_100 },
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

export const confirmedOrder: OrderView = {
  order_ref: ORDER_REF,
  order_ref_1: 'A-1001',
  order_ref_2: '',
  merchant: 'demo',
  state: { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' },
  late_by: null,
  product: 'i1',
  amount,
  created_at: AT,
  updated_at: '2026-01-31T12:01:07.000Z',
}

export const historyLine: HistoryLine = {
  seq: 7,
  at: '2026-01-31T12:01:07.000Z',
  event: 'ipn.accepted',
  from: { checkout: 'confirming', risk: 'unassessed', cancellation: 'none' },
  to: { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' },
  detail: null,
}
