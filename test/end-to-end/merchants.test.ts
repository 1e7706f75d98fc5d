// The merchants of one account share their credentials. A shop and its frontend read payment methods
// and metadata to show an offer, and the hosted form. Contract §2, §3, §4.
import { describe, expect, it } from 'vitest'
import { servedAccounts } from '../harness/accounts.ts'
import { basic, CARD, type Json, orderBody, type Shop, shopAt } from '../harness/shop.ts'
import { agreement, stagesOf } from './stages.ts'

const { server, add } = await servedAccounts({
  PRIVACY_POLICY_URL: 'https://pay.example/privacy',
})

// Merchants are added while the server runs. It sees them at once.
const addIberian = (ref: string, country: string, products: string) =>
  add(ref, 'iberia', '--products', products, '--country', country)
const demo = shopAt(server.url)
const madrid = await addIberian('madrid', 'ES', 'pp3,fp1')
const lisbon = await addIberian('lisbon', 'PT', 'i1,fp1')
const authorization = basic('iberia', 'iberia-secret')

const readJson = async <A>(answer: Promise<Response>): Promise<A> =>
  (await (await answer).json()) as A

describe('an account', () => {
  it('sees only the credentials of its merchants', async () => {
    const all = await readJson<readonly Json[]>(madrid.asMerchant('GET', '/merchants/credentials'))
    expect(all.map(({ ref }) => ref)).toEqual(['madrid', 'lisbon'])
    expect(await readJson(madrid.asMerchant('GET', '/merchants/lisbon/credentials'))).toEqual(
      all[1],
    )
    expect(all[0]).toEqual({
      ref: 'madrid',
      name: 'Shop madrid',
      country: 'ES',
      currency: 'EUR',
      signature_secret: expect.stringMatching(/^[0-9a-f]{32}$/),
      verify_signature: true,
      options: { send_action_events_in_identification: false },
    })
  })

  it('places orders for the merchant in the body, otherwise for the one in the header', async () => {
    expect(await madrid.order(await lisbon.place())).toMatchObject({ merchant: 'lisbon' })
    const body = orderBody({ merchant: { id: undefined } }, server.url)
    for (const [header, status] of [
      ['lisbon', 204],
      ['demo', 403],
    ] as const) {
      const headers = { authorization, 'service-merchant-id': header }
      expect((await madrid.send('POST', '/orders', body, headers)).status).toBe(status)
    }
  })

  it('shares saved cards among its merchants, but with no other account', async () => {
    const { action } = await stagesOf(madrid).revealed(agreement('fp1'))
    await madrid.pay(action.iframe_url, { ...CARD, save: 'on' })
    await madrid.advance(0)
    const cardsAt = async (shop: Shop) =>
      (await stagesOf(shop).revealed(agreement('fp1'))).action.reusable_cards
    expect(await cardsAt(lisbon)).toHaveLength(1)
    expect(await cardsAt(demo)).toEqual([])
  })
})

type Options = {
  readonly payment_options: readonly {
    readonly category: string
    readonly title: string
    readonly methods: readonly { readonly product: string; readonly cost: Json }[]
  }[]
}

const cart = (total: number): Json => ({
  cart: { currency: 'EUR', order_total_with_tax: total, items: [{ total_with_tax: total }] },
})

describe('payment methods', () => {
  it('of an order are the merchant’s products by category, with the cost of the default plan for its total', async () => {
    const path = `/orders/${await demo.place(cart(12_101))}/payment_methods`
    const { payment_options } = await readJson<Options>(demo.asMerchant('GET', path))
    expect(
      payment_options.map(({ category, methods }) => [
        category,
        methods.map((each) => each.product),
      ]),
    ).toEqual([
      ['pay_later', ['i1']],
      ['part_payment', ['pp3', 'sp1']],
      ['pay_now', ['fp1']],
    ])
    expect(payment_options[1]?.methods[0]?.cost).toEqual({
      setup_fee: 0,
      instalment_fee: 250,
      down_payment_fees: 250,
      instalment_total: 4_283,
    })
  })

  it.each([
    ['fr, es-MX;q=0.5, en;q=0.2', 'Paga a plazos'],
    [';;q=x, ,=', 'Pay in instalments'],
  ])('of a merchant are in the language that the caller accepts: %s', async (accepted, title) => {
    const headers = { authorization, 'accept-language': accepted }
    const { payment_options } = await readJson<Options>(
      madrid.send('GET', '/merchants/madrid/payment_methods', undefined, headers),
    )
    expect(payment_options.map((each) => each.title)[0]).toBe(title)
    expect(payment_options.map(({ methods }) => methods[0]?.product)).toEqual(['pp3', 'fp1'])
  })
})

describe('the metadata of a checkout', () => {
  const read = (order: string, query = ''): Promise<Response> =>
    demo.send('GET', `/api/v1/checkout/${order}/metadata${query}`)

  it('describes the form and the plans of a product', async () => {
    const order = await demo.place({ ...cart(12_101), customer: { language_code: 'es-ES' } })
    const metadata = await readJson<Json>(read(order, '?product_code=pp3'))
    expect(metadata).toMatchObject({
      product_code: 'pp3',
      requested_fields: expect.arrayContaining(['given_names', 'dob_year', 'nin']),
      checkboxes: [
        {
          id: 'service_privacy_policy_accepted',
          checked: false,
          required: true,
          url: 'https://pay.example/privacy',
        },
      ],
      one_surname: true,
      total_with_tax: 12_101,
      credit_agreement: [3, 6, 12, 24].map((count) =>
        expect.objectContaining({ instalment_count: count, default: count === 3 }),
      ),
    })
  })

  it('is that of the order’s own product, and 400 for one that the merchant does not have', async () => {
    const hinted = await demo.place({ product_code: 'sp1' })
    for (const query of ['', '?product_code='])
      expect(await readJson(read(hinted, query))).toMatchObject({ product_code: 'sp1' })
    for (const product of ['i1', '__proto__']) {
      const refused = await read(await madrid.place(), `?product_code=${product}`)
      expect([refused.status, await refused.json()]).toEqual([
        400,
        expect.objectContaining({ detail: expect.stringContaining('pp3, fp1') }),
      ])
    }
  })
})

it('the hosted form is only for the merchant of the order, with a product that it may have', async () => {
  const form = (shop: Shop, query: string) =>
    shop.asMerchant('GET', `/orders/${order}/form_v2${query}`)
  const order = await madrid.place()
  const answer = await form(madrid, '?product=fp1')
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';(?!.*unsafe)/)
  expect(await answer.text()).toContain(`<plazo-checkout page order="${order}" product="fp1">`)
  expect((await form(madrid, '')).status).toBe(200)
  expect((await form(madrid, '?product=sp1')).status).toBe(400)
  expect((await form(demo, '')).status).toBe(404)
})
