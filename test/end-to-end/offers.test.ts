// Shops show their offers and draw their forms from these answers: payment methods and metadata.
// Contract §3, §4.
import { CheckoutMetadata, PaymentMethods } from '@plazo/core/protocol'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerWithAccounts, startWithAccounts } from '../harness/accounts.ts'
import { type Json, type Shop, shopAt } from '../harness/shop.ts'

let accounts: ServerWithAccounts
let demo: Shop
let madrid: Shop
let tokyo: Shop

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
      options.map(({ category, methods }) => [category, methods.map(({ product }) => product)]),
    ).toEqual([
      ['pay_later', ['i1']],
      ['part_payment', ['pp3', 'sp1']],
      ['pay_now', ['fp1']],
    ])
    expect(options[1]?.methods[0]?.cost).toEqual({
      setup_fee: 0,
      instalment_fee: 250,
      down_payment_fees: 250,
      instalment_total: 4_283,
    })
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
    ['fr, es-MX;q=0.5, en;q=0.2', 'Paga a plazos'],
    ['en, es;q=0.9', 'Pay in instalments'],
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
    expect(metadata.credit_agreement.map((plan) => plan.instalment_count)).toEqual([3, 6, 12, 24])
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

  it.each(['zz9', '__proto__', 'i1'])(
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
