// The Order API for shops: placing, reading and updating orders. Contract §3.
import { describe, expect, it } from 'vitest'
import { type Json, orderBody } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { addressesAt, agreement, countEvents, requestsAt, surnames } from './stages.ts'

const { server, receiver, shop, stages } = await servedShop()

type Cart = {
  readonly currency: unknown
  readonly order_total_with_tax: unknown
  readonly items: unknown
}
const item = (total: unknown): Json => ({
  type: 'product',
  reference: 'A',
  name: 'A',
  quantity: 1,
  price_with_tax: total,
  total_with_tax: total,
})
const cartOf = (total: unknown, ...items: readonly unknown[]): Cart => ({
  currency: 'EUR',
  order_total_with_tax: total,
  items: (items.length === 0 ? [total] : items).map(item),
})

const place = (order: Json): Promise<Response> => shop.asMerchant('POST', '/orders', { order })
const plain = (): Json => orderBody({}, server.url).order as Json
const merchantOf = (merchant: Json): Json => ({
  ...plain(),
  merchant: { ...(plain().merchant as Json), ...merchant },
})

const sentencesOf = async (answer: Response): Promise<readonly string[]> => {
  expect(answer.status).toBe(409)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  const body = (await answer.json()) as { readonly errors: readonly string[] }
  expect(Object.keys(body)).toEqual(['errors'])
  for (const sentence of body.errors) expect(sentence).toMatch(/^\S.*\S$/)
  expect(body.errors.length).toBeGreaterThan(0)
  return body.errors
}

describe('POST /orders', () => {
  it('reports all errors at once: in the cart, the parameters, the merchant’s settings and the URLs', async () => {
    const merchant = merchantOf({
      notification_parameters: { order_ref: 'x' },
      notify_url: 'http://169.254.1.1/ipn',
    })
    const wrong = { ...merchant, product_code: 'zz9', cart: { ...cartOf(99, 98), currency: 'USD' } }
    const sentences = await sentencesOf(await place(wrong))
    expect(sentences[0]).toBe(
      "Invalid data: items' total_with_tax add up to 98 but order_total_with_tax is 99. The diff is 1.",
    )
    const expected = [
      'items',
      'notification_parameters.order_ref ',
      'currency',
      'product_code',
      'which fits',
      'notify_url',
    ]
    expect(sentences).toEqual(expected.map((each) => expect.stringContaining(each)))
  })
})

it('refuses a wrong URL wherever an order has one, with a sentence that has the URL', async () => {
  const url = 'https:///plazo/ipn'
  const merchant = { return_url: url, notify_url: url, events_webhook: { url } }
  expect(await sentencesOf(await place(merchantOf(merchant)))).toEqual(
    ['return_url', 'notify_url', 'events_webhook.url'].map((name) =>
      expect.stringContaining(`Invalid data: order.merchant.${name} is ${JSON.stringify(url)}`),
    ),
  )
})

it('an order that reaches confirmation with a reference in use conflicts before any IPN, and is refunded', async () => {
  const { merchant } = addressesAt(receiver, 'loser')
  const contested = { merchant_reference: { order_ref_1: 'contested' } }
  const { ref: loser, action } = await stages.revealed(agreement('fp1'), { merchant, ...contested })
  const winner = await stages.settled({}, contested)
  await shop.pay(action.iframe_url)
  await shop.advance(0)
  expect(await shop.wait(winner)).toMatchObject({ action: 'finish' })
  expect(await shop.wait(loser)).toEqual({ action: 'show_conflict' })
  expect(await shop.submit(loser, agreement('fp1'))).toMatchObject({ action: 'show_error' })
  expect(requestsAt(receiver, '/loser/ipn')).toEqual([])
  expect(await countEvents(shop, loser, 'payment.refunded')).toBe(1)
  // Who places an order or gives a reference later is told so.
  await sentencesOf(await place({ ...plain(), ...contested }))
  await sentencesOf(await shop.put(await shop.place(), contested))
})

describe('a PUT of the merchant', () => {
  it('alone confirms an order without a notify_url, and a repeated PUT is also 200', async () => {
    const ref = await stages.settled({}, { merchant: { notify_url: '' } })
    expect(await shop.wait(ref)).toEqual({ action: 'wait_for_confirmation' })
    await sentencesOf(await shop.put(ref, { state: 'on_hold' }))
    for (const _ of ['first', 'again'])
      expect((await shop.put(ref, { state: 'confirmed' })).status).toBe(200)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await countEvents(shop, ref, 'merchant.confirmed')).toBe(1)
  })

  it('without a state, or with an empty one, only sets references, in any state', async () => {
    const ref = await shop.place()
    await sentencesOf(await shop.put(ref, { state: 'confirmed' }))
    for (const order of [
      { state: '', merchant_reference: { order_ref_1: 'early-1' } },
      { merchant_reference: { order_ref_2: 'early-2' } },
      {},
    ])
      expect((await shop.put(ref, order)).status).toBe(200)
    expect(await shop.order(ref)).toMatchObject({
      order_ref_1: 'early-1',
      order_ref_2: 'early-2',
      state: { checkout: 'identifying' },
    })
  })
})

describe('the Order Update API', () => {
  const EMPTY = { order_total_with_tax: 0, items: [] }
  const path = (reference: string) => `/merchants/demo/orders/${reference}`
  const update = (reference: string, order: Json) =>
    shop.asMerchant('PUT', path(reference), {
      order: {
        merchant: { id: 'demo' },
        merchant_reference: {},
        shipped_cart: EMPTY,
        unshipped_cart: EMPTY,
        ...order,
      },
    })
  const placeConfirmed = (order_ref_1: string) =>
    stages.settled({}, { merchant_reference: { order_ref_1 } })

  it.each(['a/b/c d', 'ñ √ 50%?y#z', 'a%2Fb+c'])(
    'finds the reference %s, escaped as a whole or part by part',
    async (reference) => {
      const ref = await placeConfirmed(reference)
      const inParts = reference.split('/').map(encodeURIComponent).join('/')
      expect(
        (await update(encodeURIComponent(reference), { shipped_cart: cartOf(12_100) })).status,
      ).toBe(200)
      expect((await update(inParts, { unshipped_cart: cartOf(12_100) })).status).toBe(200)
      expect(await countEvents(shop, ref, 'order.updated')).toBe(2)
    },
  )

  it('reduces the order to what its carts add up to, and is 409 with both sums if they cost more or less than nothing', async () => {
    const merchant_reference = { order_ref_1: 'reduced' }
    const ref = await stages.paid(agreement('fp1'), { merchant_reference })
    const half = { shipped_cart: cartOf(5_000), unshipped_cart: cartOf(1_050) }
    expect((await update('reduced', half)).status).toBe(200)
    await shop.advance(0)
    const money = (value: number) => ({ value, string: `€${(value / 100).toFixed(2)}` })
    expect(await shop.order(ref)).toMatchObject({
      amount: money(6_050),
      reduced_from: money(12_100),
      refunded: money(6_050),
    })
    const sentenceOf = async (carts: Json) => (await sentencesOf(await update('reduced', carts)))[0]
    expect(await sentenceOf({ shipped_cart: cartOf(6_051) })).toBe(
      "Invalid data: shipped_cart and unshipped_cart add up to 6051, but the order's total is 6050. An order is never enlarged.",
    )
    expect(await sentenceOf({ shipped_cart: cartOf(6_050), unshipped_cart: cartOf(-50) })).toBe(
      "Invalid data: unshipped_cart.order_total_with_tax is -50, but it must not be negative. The carts add up to 6000, and the order's total is 6050.",
    )
    expect(await sentenceOf({ shipped_cart: { ...cartOf(6_050), currency: 'USD' } })).toBe(
      'Invalid data: shipped_cart.currency is "USD", but the order was placed in EUR. The carts add up to 6050, and the order\'s total is 6050.',
    )
    const huge = cartOf(Number.MAX_SAFE_INTEGER)
    expect(await sentenceOf({ shipped_cart: huge, unshipped_cart: huge })).toContain(
      '18014398509481982',
    )
    // A PUT compares with the placed total.
    for (const [order_total_with_tax, status] of [
      [12_100, 200],
      [6_050, 409],
    ] as const)
      expect((await shop.put(ref, { cart: { order_total_with_tax } })).status).toBe(status)
  })

  it('is 404 unless the order is confirmed, and once it is cancelled', async () => {
    expect((await update('nobody', {})).status).toBe(404)
    const merchant_reference = { order_ref_1: 'unconfirmed' }
    const ref = await stages.settled(surnames('review event'), { merchant_reference })
    expect((await update('unconfirmed', {})).status).toBe(404)
    await shop.decide(ref, 'approve')
    await shop.advance(0)
    expect((await update('unconfirmed', {})).status).toBe(200)
    expect((await update('unconfirmed', {})).status).toBe(404)
  })
})

it('a page of orders has as many as its limit, and at most 100, newest first, with a link to the rest', async () => {
  const placed: string[] = []
  for (let count = 0; count < 103; count++) placed.push(await shop.place())
  placed.reverse()
  const path = '/merchants/demo/orders'
  const read = async (address: string) => {
    const answer = await shop.asMerchant('GET', address)
    const orders = (await answer.json()) as readonly { readonly order_ref: string }[]
    const [, next = ''] = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '') ?? []
    return { refs: orders.map(({ order_ref }) => order_ref), next }
  }
  expect((await read(path)).refs).toEqual(placed.slice(0, 50))
  const { refs, next } = await read(`${path}?limit=1000`)
  expect(refs).toEqual(placed.slice(0, 100))
  expect((await read(next)).refs.slice(0, 3)).toEqual(placed.slice(100))
  const wrong = await shop.asMerchant('GET', `${path}?limit=ten`)
  expect([wrong.status, await wrong.json()]).toEqual([
    400,
    expect.objectContaining({ detail: expect.stringContaining('limit') }),
  ])
})

it('a search in a merchant’s orders finds the beginning of a reference, and not the merchant', async () => {
  await shop.place()
  const ref = await shop.place({ merchant_reference: { order_ref_2: 'Demo-7' } })
  const found = await (await shop.asMerchant('GET', '/merchants/demo/orders?search=demo')).json()
  expect(found).toEqual([expect.objectContaining({ order_ref: ref })])
})

it('an instant in a query is read although the + of its offset is not encoded', async () => {
  await shop.advance(1)
  const ref = await shop.place()
  const { created_at } = (await (await shop.asMerchant('GET', `/orders/${ref}`)).json()) as Json
  const isListed = async (filter: string, later: number): Promise<boolean> => {
    const inParis = new Date(Date.parse(String(created_at)) + 3_600_000 + later)
    const instant = inParis.toISOString().replace('Z', '+01:00')
    const answer = await shop.asMerchant(
      'GET',
      `/merchants/demo/orders?${filter}=${instant}&limit=1`,
    )
    expect(answer.status).toBe(200)
    const [, next = ''] = /^<([^>]+)>/.exec(answer.headers.get('link') ?? '') ?? []
    if (next !== '') expect((await shop.asMerchant('GET', next)).status).toBe(200)
    return (await answer.text()).includes(ref)
  }
  expect(await Promise.all([isListed('since', 0), isListed('since', 1)])).toEqual([true, false])
  expect(await isListed('changed_since', 0)).toBe(true)
  expect(await Promise.all([isListed('until', 0), isListed('until', 1)])).toEqual([false, true])
})

it.each([
  ['orders', 'amount_from=12100', 'amount_from', 'one of search, checkout, '],
  ['orders', 'Since=2026-01-01', 'Since', 'changed_since, failing, from, limit.'],
  ['orders', 'ajax=', 'ajax', 'one of search'],
  ['orders', 'merchant=demo', 'merchant', 'one of search'],
  ['orders', '__proto__=x', '__proto__', 'one of search'],
  ['deliveries', 'limit=1&since=2026-01-01', 'since', 'one of order_ref, state, before, limit.'],
  ['deliveries', 'constructor', 'constructor', 'one of order_ref'],
])(
  'a list of %s with %s names the unknown parameter and the known ones',
  async (list, query, name, known) => {
    const answer = await shop.asMerchant('GET', `/merchants/demo/${list}?${query}`)
    expect(answer.status).toBe(400)
    const { detail } = (await answer.json()) as Json
    expect(detail).toMatch(`A parameter is "${name}", but must be one of `)
    expect(detail).toContain(known)
  },
)

it('every other call ignores an unknown parameter', async () => {
  const ref = await shop.place()
  for (const path of ['', '/history', '/explanation', '/payment_methods', '/form_v2'])
    expect((await shop.asMerchant('GET', `/orders/${ref}${path}?ajax=1`)).status, path).toBe(200)
})
