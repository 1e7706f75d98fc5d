import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../testing/identification-arbitraries.ts'
import { validOrder } from '../testing/order-arbitraries.ts'
import { decodeConfirmation, decodeOrder, decodeUpdate, orderRefusals } from './order-payload.ts'

const merchant = {
  id: 'demo',
  notify_url: 'http://127.0.0.1:8098/ipn',
  notification_parameters: { storeId: '1', signature: 'chosen-by-the-shop' },
  return_url: 'http://127.0.0.1:8098/back?product=SQ_PRODUCT_CODE',
  events_webhook: {
    url: 'http://127.0.0.1:8098/events?order=42',
    parameters: { storeId: '1', signature: 'chosen-by-the-shop' },
  },
}
const cart = {
  currency: 'EUR',
  order_total_with_tax: 12100,
  items: [
    { type: 'product', total_with_tax: 11000 },
    { type: 'handling', total_with_tax: 1100 },
  ],
}
// validOrder() adds what shops send and nobody reads.
const order = { merchant, customer: { language_code: 'es-ES' }, state: '', cart }

const decodeFor = (ipnStateParameter: string) => (body: unknown) =>
  pipe(
    decodeOrder(body),
    E.chain((payload) => {
      const refusals = orderRefusals(ipnStateParameter, payload)
      return refusals.length > 0 ? E.left(refusals) : E.right(payload)
    }),
  )
const decode = decodeFor('sq_state')
const decodeWith = (overrides: JsonObject) => decode({ order: { ...order, ...overrides } })
const placedBy = (overrides: JsonObject) => decodeWith({ merchant: { ...merchant, ...overrides } })
const placedFor = (overrides: JsonObject) => decodeWith({ cart: { ...cart, ...overrides } })
const withAmounts = (total: number, ...amounts: readonly number[]) =>
  placedFor({
    order_total_with_tax: total,
    items: amounts.map((amount) => ({ total_with_tax: amount })),
  })

describe('an order', () => {
  it('is parsed from the body that a shop sends', () => {
    expect(decode({ order })).toEqual(
      E.right({
        merchantRef: 'demo',
        notifyUrl: 'http://127.0.0.1:8098/ipn',
        notificationParameters: { storeId: '1', signature: 'chosen-by-the-shop' },
        returnUrl: 'http://127.0.0.1:8098/back?product=SQ_PRODUCT_CODE',
        eventsWebhook: {
          url: 'http://127.0.0.1:8098/events?order=42',
          parameters: { storeId: '1', signature: 'chosen-by-the-shop' },
        },
        references: { first: '', second: '' },
        currency: 'EUR',
        total: 12100,
        itemTotals: [11000, 1100],
        language: 'es-ES',
        productCode: null,
      }),
    )
  })

  it('requires only a merchant, a return URL and a cart', () => {
    const least = {
      merchant: { id: 'demo', return_url: 'https://shop.example.test/' },
      cart: { currency: 'EUR', order_total_with_tax: 100, items: [{ total_with_tax: 100 }] },
    }
    expect(decode({ order: least })).toMatchObject(
      E.right({
        notifyUrl: null,
        notificationParameters: {},
        eventsWebhook: null,
        references: { first: '', second: '' },
        language: null,
        productCode: null,
      }),
    )
  })

  it('is accepted whenever it is valid', () => {
    fc.assert(fc.property(validOrder(), (body) => E.isRight(decode(body))))
  })

  it('is rejected with one message for each error, with its path', () => {
    expect(
      decode({
        order: {
          merchant: {
            id: ' ',
            return_url: 'ftp://shop.example.test',
            notify_url: 7,
            notification_parameters: { storeId: 1 },
            events_webhook: { parameters: { storeId: null } },
          },
          cart: { currency: 'eur', order_total_with_tax: 0, items: [{ total_with_tax: '1' }, 5] },
          merchant_reference: { order_ref_1: 42 },
          product_code: 3,
        },
      }),
    ).toEqual(
      E.left([
        'Invalid data: order.merchant.id is " ", but must be a non-empty string.',
        'Invalid data: order.merchant.return_url is "ftp://shop.example.test", but must be an http or https URL without spaces or backslashes.',
        'Invalid data: order.merchant.notify_url is 7, but must be an http or https URL without spaces or backslashes, or absent.',
        'Invalid data: order.merchant.notification_parameters.storeId is 1, but must be a string.',
        'Invalid data: order.merchant.events_webhook.url is missing, and must be an http or https URL without spaces or backslashes.',
        'Invalid data: order.merchant.events_webhook.parameters.storeId is null, but must be a string.',
        'Invalid data: order.cart.currency is "eur", but must be a currency code of three capital letters.',
        'Invalid data: order.cart.order_total_with_tax is 0, but must be a whole number of minor units over 0.',
        'Invalid data: order.cart.items.0.total_with_tax is "1", but must be a whole number of minor units.',
        'Invalid data: order.cart.items.1 is 5, but must be an object.',
        'Invalid data: order.merchant_reference.order_ref_1 is 42, but must be a string other than . and .., which no URL can carry, or absent.',
        'Invalid data: order.product_code is 3, but must be a string, or absent.',
      ]),
    )
  })

  it.each([
    { notification_parameters: [] },
    { notification_parameters: null },
    { notify_url: null },
    { events_webhook: null },
  ])('treats the member of %j as absent, as PHP shops send it', (overrides) => {
    const [name = ''] = Object.keys(overrides)
    expect(placedBy(overrides)).toEqual(placedBy({ [name]: undefined }))
  })

  it.each([
    [{ order_ref_1: 'A/1', order_ref_2: 'B' }, 'A/1', 'B'],
    [{ order_ref_2: 'B' }, '', 'B'],
    [[], '', ''],
    [{ order_ref_1: null, order_ref_2: '' }, '', ''],
  ])('with the references %j has %j and %j', (merchant_reference, first, second) => {
    expect(decodeWith({ merchant_reference })).toMatchObject(
      E.right({ references: { first, second } }),
    )
  })
})

it('the product hint of a shop is kept, or absent', () => {
  expect(decodeWith({ product_code: 'pp3' })).toMatchObject(E.right({ productCode: 'pp3' }))
  expect(decodeWith({ product_code: '' })).toMatchObject(E.right({ productCode: null }))
})

const LONG_TAG = `es-${'x'.repeat(100)}`

it.each([
  [{ customer: { language_code: 'es_ES' }, gui: { language_code: 'fr' } }, 'es_ES'],
  [{ customer: { language: 'es' }, gui: { language_code: 'fr' } }, 'es'],
  [{ customer: { language_code: ' ' }, gui: { language_code: 'fr' } }, 'fr'],
  [{ customer: null, gui: { language: 'fr' } }, 'fr'],
  [{ customer: { language_code: LONG_TAG } }, LONG_TAG.slice(0, 35)],
  [{ customer: { language_code: '' } }, null],
])(
  'the language is the customer’s, otherwise the page’s, under either name: %j',
  (input, language) => {
    expect(decodeWith(input)).toMatchObject(E.right({ language }))
  },
)

it.each(['.', '..'])(
  'the reference %j is refused when an order is placed, and later',
  (order_ref_1) => {
    const merchant_reference = { order_ref_1 }
    const refusal = [
      expect.stringContaining(`order_ref_1 is "${order_ref_1}", but must be a string`),
    ]
    expect(decodeWith({ merchant_reference })).toEqual(E.left(refusal))
    expect(decodeConfirmation({ order: { merchant_reference } })).toEqual(E.left(refusal))
  },
)

describe('a cart', () => {
  it.each([
    [5097, [5000, 55], 5055, 42],
    [5055, [5097], 5097, 42],
  ])(
    'of %i with items of %j is refused with the sum and the difference',
    (total, items, sum, diff) => {
      expect(withAmounts(total, ...items)).toEqual(
        E.left([
          `Invalid data: items' total_with_tax add up to ${sum} but order_total_with_tax is ${total}. The diff is ${diff}.`,
        ]),
      )
    },
  )

  it('is accepted exactly if its items add up to its total', () => {
    fc.assert(
      fc.property(
        fc.array(fc.maxSafeInteger(), { maxLength: 8 }),
        fc.oneof(fc.integer({ min: 1 }), fc.constant(null)),
        (amounts, other) => {
          const sum = amounts.reduce((added, amount) => added + BigInt(amount), 0n)
          const isPlaceable = sum > 0n && sum <= BigInt(Number.MAX_SAFE_INTEGER)
          const total = other ?? (isPlaceable ? Number(sum) : 1)
          expect(E.isRight(withAmounts(total, ...amounts))).toBe(BigInt(total) === sum)
        },
      ),
    )
  })
})

describe('a notification parameter', () => {
  const names = [
    ...['order_ref', 'order_ref_1', 'order_ref_2', 'product_code', 'sq_state'],
    ...['approved_since', 'needs_review_since'],
  ]

  it('is refused if it is named like a standard one, together with a cart that does not add up', () => {
    const parameters = Object.fromEntries(['storeId', ...names].map((name) => [name, 'x']))
    const decoded = decodeWith({
      merchant: { ...merchant, notification_parameters: parameters },
      cart: { ...cart, order_total_with_tax: 12101 },
    })
    expect(decoded).toEqual(
      E.left([
        expect.stringContaining('add up to 12100'),
        ...names.map(
          (name) =>
            `Invalid data: order.merchant.notification_parameters.${name} is named like a standard IPN parameter.`,
        ),
      ]),
    )
  })

  it('may have the name of another service’s state parameter', () => {
    const body = {
      order: { ...order, merchant: { ...merchant, notification_parameters: { sq_state: 'x' } } },
    }
    expect(E.isRight(decodeFor('state')(body))).toBe(true)
  })

  it('may have a reserved name as a webhook parameter', () => {
    const parameters = { order_ref: 'x', event: 'y' }
    expect(placedBy({ events_webhook: { ...merchant.events_webhook, parameters } })).toMatchObject(
      E.right({ eventsWebhook: { parameters } }),
    )
  })
})

describe('a confirmation', () => {
  it('is parsed from the complete order that a shop sends again', () => {
    const input = {
      ...order,
      state: 'confirmed',
      merchant_reference: { order_ref_1: 'A-1', order_ref_2: 'B' },
    }
    expect(decodeConfirmation({ order: input })).toEqual(
      E.right({
        merchantRef: 'demo',
        state: 'confirmed',
        references: { first: 'A-1', second: 'B' },
        total: 12100,
        itemTotals: [11000, 1100],
        currency: 'EUR',
      }),
    )
  })

  it.each([
    [
      [{ total_with_tax: 5 }, { total_with_tax: -1, name: 'A' }],
      [5, -1],
    ],
    [[], []],
    [[{ total_with_tax: 5 }, {}], null],
    [[{ total_with_tax: 5.5 }], null],
    [{ total_with_tax: 5 }, null],
    [null, null],
  ])('with the items %j has the totals %j', (items, itemTotals) => {
    expect(decodeConfirmation({ order: { cart: { items } } })).toMatchObject(
      E.right({ itemTotals }),
    )
  })

  it.each(['on_hold', '', null, undefined])('may have only the state %j', (state) => {
    expect(decodeConfirmation({ order: { state } })).toEqual(
      E.right({
        merchantRef: null,
        state: state || null,
        references: { first: null, second: null },
        total: null,
        itemTotals: null,
        currency: null,
      }),
    )
  })

  it.each(['cancelled', true, []])('with state %j is rejected', (state) => {
    expect(decodeConfirmation({ order: { state } })).toEqual(
      E.left([
        `Invalid data: order.state is ${JSON.stringify(state)}, but must be "confirmed", "on_hold", or absent.`,
      ]),
    )
  })
})

describe('an order update', () => {
  const nothing = { order_total_with_tax: 0, items: [] }
  const goods = { order_total_with_tax: 500, items: [{ total_with_tax: 500 }] }
  const update = (shipped: unknown, unshipped: unknown, overrides: JsonObject = {}) =>
    decodeUpdate({
      order: {
        merchant: { id: 'demo' },
        merchant_reference: {},
        shipped_cart: shipped,
        unshipped_cart: unshipped,
        ...overrides,
      },
    })

  it.each([
    [true, nothing, nothing],
    [false, goods, nothing],
    [false, nothing, goods],
    [false, nothing, { order_total_with_tax: 0, items: [{ total_with_tax: 0 }] }],
  ])(
    'is a cancellation (%s) only if no cart has items: %j and %j',
    (isCancellation, shipped, unshipped) => {
      for (const cancellation_reason of ['', 'out of stock'])
        expect(update(shipped, unshipped, { cancellation_reason })).toMatchObject(
          E.right({ isCancellation }),
        )
    },
  )

  it('has the total of each cart, and its currency if the shop names one', () => {
    expect(update({ ...goods, currency: 'USD' }, { ...nothing, currency: '' })).toMatchObject(
      E.right({
        shipped: { name: 'shipped_cart', total: 500, currency: 'USD' },
        unshipped: { name: 'unshipped_cart', total: 0, currency: null },
      }),
    )
  })

  it('is rejected with the name of the cart that does not add up', () => {
    expect(
      update({ ...goods, order_total_with_tax: 501 }, { ...nothing, order_total_with_tax: 2 }),
    ).toEqual(
      E.left([
        "Invalid data: shipped_cart items' total_with_tax add up to 500 but order_total_with_tax is 501. The diff is 1.",
        "Invalid data: unshipped_cart items' total_with_tax add up to 0 but order_total_with_tax is 2. The diff is 2.",
      ]),
    )
  })

  it('is rejected without its carts', () => {
    expect(decodeUpdate({ order: {} })).toEqual(
      E.left([
        'Invalid data: order.shipped_cart is missing, and must be an object.',
        'Invalid data: order.unshipped_cart is missing, and must be an object.',
      ]),
    )
  })
})
