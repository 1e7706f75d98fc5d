// Shops show their offers and draw their forms from these answers: payment methods, metadata and
// summary. Contract §3, §4.
import { CheckoutMetadata, CheckoutSummary, PaymentMethods } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerWithAccounts, startWithAccounts } from '../harness/accounts.ts'
import { type Json, orderBody, type Shop, shopAt } from '../harness/shop.ts'

let accounts: ServerWithAccounts
let demo: Shop
let madrid: Shop
let tokyo: Shop
let budapest: Shop

beforeAll(async () => {
  accounts = await startWithAccounts({ PRIVACY_POLICY_URL: 'https://pay.example/privacy' })
  demo = shopAt(accounts.server.url)
  madrid = await accounts.add(
    'madrid',
    'iberia',
    '--currency',
    'EUR',
    '--products',
    'pp3,fp1',
    '--country',
    'ES',
  )
  budapest = await accounts.add('budapest', 'magyar', '--currency', 'HUF', '--products', 'pp3,fp1')
  tokyo = await accounts.add('tokyo', 'nippon', '--currency', 'JPY', '--products', 'fp1,i1')
})
afterAll(() => accounts.close())

const exactly = <A>(
  codec: { readonly decode: (body: unknown) => E.Either<unknown, A>; readonly name: string },
  body: unknown,
): A => {
  const decoded = codec.decode(body)
  if (E.isLeft(decoded)) throw new Error(`No ${codec.name}: ${JSON.stringify(body)}`)
  // A strict codec removes unknown fields.
  expect(decoded.right).toEqual(body)
  return decoded.right
}

const methodsAt = async (
  shop: Shop,
  path: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const authorization =
    shop === madrid ? 'iberia:iberia-secret' : shop === tokyo ? 'nippon:nippon-secret' : 'demo:demo'
  const answer = await shop.send('GET', path, undefined, {
    authorization: `Basic ${btoa(authorization)}`,
    ...headers,
  })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  return exactly(PaymentMethods, await answer.json()).payment_options
}

const cart = (total: number, currency = 'EUR'): Json => ({
  cart: {
    currency,
    order_total_with_tax: total,
    items: [{ type: 'product', total_with_tax: total }],
  },
})

describe('the payment methods of an order', () => {
  it('are the merchant’s products by category, with the cost of the default plan for the order’s total', async () => {
    const options = await methodsAt(
      demo,
      `/orders/${await demo.place(cart(12_101))}/payment_methods`,
    )
    expect(
      options.map(({ category, methods }) => [
        category,
        methods.map(({ product, cost }) => ({ product, ...cost })),
      ]),
    ).toEqual([
      [
        'pay_later',
        [
          {
            product: 'i1',
            setup_fee: 0,
            instalment_fee: 0,
            down_payment_fees: 0,
            instalment_total: 12_101,
          },
        ],
      ],
      [
        'part_payment',
        [
          {
            product: 'pp3',
            setup_fee: 0,
            instalment_fee: 250,
            down_payment_fees: 250,
            instalment_total: 4_283,
          },
          {
            product: 'sp1',
            setup_fee: 0,
            instalment_fee: 0,
            down_payment_fees: 0,
            instalment_total: 4_033,
          },
        ],
      ],
      [
        'pay_now',
        [
          {
            product: 'fp1',
            setup_fee: 0,
            instalment_fee: 0,
            down_payment_fees: 0,
            instalment_total: 12_101,
          },
        ],
      ],
    ])
  })

  it('give for each method its range of amounts and terms, a name and an icon', async () => {
    for (const { title, description, icon, methods } of await methodsAt(
      demo,
      `/orders/${await demo.place()}/payment_methods`,
    )) {
      for (const text of [title, description]) expect(text).toMatch(/\S/)
      expect(icon).toMatch(/^<svg .*<\/svg>$/s)
      for (const { long_title, min_amount, max_amount, starts_at, ends_at } of methods) {
        expect(long_title).toMatch(/\S/)
        expect([min_amount, max_amount]).toEqual([100, 1_000_000])
        expect(Date.parse(starts_at)).toBeLessThan(Date.now())
        expect(Date.parse(ends_at)).toBeGreaterThan(Date.now())
      }
    }
  })

  it.each<[Json, string]>([
    [{ customer: { language_code: 'es-ES' } }, 'Paga después'],
    [{ customer: { language_code: 'fr-FR' } }, 'Pay later'],
    [{ customer: { language_code: 34 }, gui: [] }, 'Pay later'],
  ])('are in the shopper’s language: %j', async (input, title) => {
    const [first] = await methodsAt(demo, `/orders/${await demo.place(input)}/payment_methods`)
    expect(first?.title).toBe(title)
    expect(first?.methods[0]?.title).toBe(title)
  })
})

describe('the payment methods of a merchant', () => {
  it('are all of its products, with costs without an amount', async () => {
    const options = await methodsAt(madrid, '/merchants/madrid/payment_methods')
    expect(
      options.map(({ methods }) => methods.map(({ product, cost }) => [product, cost])),
    ).toEqual([
      [
        [
          'pp3',
          { setup_fee: 0, instalment_fee: 250, down_payment_fees: 250, instalment_total: 250 },
        ],
      ],
      [['fp1', { setup_fee: 0, instalment_fee: 0, down_payment_fees: 0, instalment_total: 0 }]],
    ])
  })

  it.each([
    ['es', 'Paga a plazos'],
    ['fr, es-MX;q=0.5, en;q=0.2', 'Paga a plazos'],
    ['en, es;q=0.9', 'Pay in instalments'],
    ['es;q=0', 'Pay in instalments'],
    ['*', 'Pay in instalments'],
    [';;q=x, ,=', 'Pay in instalments'],
  ])('are in the language that the caller accepts: %s', async (accepted, title) => {
    const [first] = await methodsAt(madrid, '/merchants/madrid/payment_methods', {
      'accept-language': accepted,
    })
    expect(first?.title).toBe(title)
  })
})

describe('the metadata of a checkout', () => {
  const metadataOf = async (shop: Shop, order: string, product?: string) => {
    const query = product === undefined ? '' : `?product_code=${product}`
    const answer = await shop.send('GET', `/api/v1/checkout/${order}/metadata${query}`)
    expect(answer.status).toBe(200)
    return exactly(CheckoutMetadata, await answer.json())
  }

  it('describes the form for a product', async () => {
    const order = await demo.place({ ...cart(12_101), customer: { language_code: 'es-ES' } })
    const metadata = await metadataOf(demo, order, 'pp3')
    expect(metadata).toMatchObject({
      product_code: 'pp3',
      requested_fields: [
        'given_names',
        'surnames',
        'dob_day',
        'dob_month',
        'dob_year',
        'mobile_phone',
        'nin',
        'address',
        'postal_code',
        'city',
      ],
      checkboxes: [
        {
          id: 'service_privacy_policy_accepted',
          checked: false,
          required: true,
          url: 'https://pay.example/privacy',
        },
      ],
      total_with_tax: 12_101,
    })
    expect(
      metadata.credit_agreement.map((plan) => [plan.product, plan.instalment_count, plan.default]),
    ).toEqual([
      ['pp3', 3, true],
      ['pp3', 6, false],
      ['pp3', 12, false],
      ['pp3', 24, false],
    ])
    expect(metadata.credit_agreement[0]).toEqual({
      product: 'pp3',
      instalment_count: 3,
      default: true,
      grand_total: { value: 12_851, string: '128,51\u00a0€' },
      instalment_total: { value: 4_283, string: '42,83\u00a0€' },
      down_payment_total: { value: 4_285, string: '42,85\u00a0€' },
      cost_of_credit: { value: 750, string: '7,50\u00a0€' },
    })
  })

  it('defaults to the order’s own product', async () => {
    const hinted = await demo.place({ product_code: 'sp1' })
    expect(await metadataOf(demo, hinted)).toMatchObject({ product_code: 'sp1' })
    expect(await metadataOf(demo, hinted, '')).toMatchObject({ product_code: 'sp1' })
    expect(await metadataOf(tokyo, await tokyo.place(cart(5_000, 'JPY')))).toMatchObject({
      product_code: 'fp1',
      credit_agreement: [{ grand_total: { value: 5_000, string: '¥5,000' } }],
    })
  })

  it.each(['zz9', 'I1', '__proto__', '%00', 'i1'])(
    'is 400 for %s, which the merchant does not have, and names the merchant’s products',
    async (product) => {
      const order = await madrid.place()
      const answer = await madrid.send(
        'GET',
        `/api/v1/checkout/${order}/metadata?product_code=${product}`,
      )
      expect(answer.status).toBe(400)
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/)
      expect(((await answer.json()) as { readonly detail: string }).detail).toContain('pp3, fp1')
    },
  )
})

describe('an order in forints', () => {
  it('has the limits and the fee of its currency', async () => {
    const ref = await budapest.place(cart(4_000_000, 'HUF'))
    const authorization = `Basic ${btoa('magyar:magyar-secret')}`
    const methods = await budapest.send('GET', `/orders/${ref}/payment_methods`, undefined, {
      authorization,
    })
    expect(await methods.json()).toMatchObject({
      payment_options: [
        {
          methods: [
            { min_amount: 40_000, max_amount: 400_000_000, cost: { instalment_fee: 100_000 } },
          ],
        },
        { methods: [{ min_amount: 40_000, max_amount: 400_000_000, cost: { instalment_fee: 0 } }] },
      ],
    })
    const summary = await budapest.send('GET', `/api/v1/checkout/${ref}/summary?product_code=pp3`)
    // 40,000 forints cost 1,000 forints in each of three instalments, about as 100 euros cost 2.50
    // each.
    expect(((await summary.json()) as CheckoutSummary).plans[0]).toMatchObject({
      cost_of_credit: { value: 300_000, string: 'HUF\u00a03,000.00' },
      annual_rate: expect.stringMatching(/^\d+\.\d%$/),
    })
    const refused = await budapest.asMerchant(
      'POST',
      '/orders',
      orderBody({ merchant: { id: 'budapest' }, ...cart(39_999, 'HUF') }),
    )
    expect([refused.status, await refused.json()]).toEqual([
      409,
      {
        errors: [
          "Invalid data: order.cart.order_total_with_tax is 39999 (HUF\u00a0399.99), which fits none of the merchant's products. They take 40000 to 400000000 (HUF\u00a0400.00 to HUF\u00a04,000,000.00).",
        ],
      },
    ])
  })
})

it('the privacy policy is a page of our own, in the reader’s language', async () => {
  for (const [accepted, lang] of [
    ['es-ES', 'es'],
    ['de', 'en'],
  ]) {
    const answer = await demo.send('GET', '/privacy', undefined, {
      'accept-language': accepted ?? '',
    })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain(`<html lang="${lang}">`)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe('the summary of a checkout', () => {
  const summaryOf = async (shop: Shop, order: string, query = '') => {
    const answer = await shop.send('GET', `/api/v1/checkout/${order}/summary${query}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    return exactly(CheckoutSummary, await answer.json())
  }

  it('names the seller, the cart, each plan’s instalments and the way back', async () => {
    const order = await madrid.place({ ...cart(12_100), customer: { language_code: 'es' } })
    const summary = await summaryOf(madrid, order, '?product_code=pp3')
    expect(summary).toMatchObject({
      seller: 'Shop madrid',
      language: 'es',
      country: 'ES',
      total: { value: 12_100 },
      items: [{ total: { value: 12_100 } }],
      product: { code: 'pp3', title: 'Pago fraccionado' },
      code: null,
    })
    expect(summary.return_url).toContain('/demo/return')
    expect(summary.plans.map(({ instalments }) => instalments.length)).toEqual([3, 6, 12, 24])
  })

  it.each([
    [400, 'another product', (order: string) => `${order}/summary?product_code=sp1`],
    [404, 'an unknown order', () => `${NOBODY}/summary`],
  ])('is %i for %s', async (status, _, path) => {
    const answer = await madrid.send('GET', `/api/v1/checkout/${path(await madrid.place())}`)
    expect(answer.status).toBe(status)
  })
})
