// Card payments: the amount due, attempts, 3-D Secure, saved cards and refunds. Contract §4, Payment, Saved cards; §8, Cards.
import { describe, expect, it } from 'vitest'
import { type Action, CARD, CHALLENGED_CARD, DECLINED_CARD, type Json } from '../harness/shop.ts'
import { servedShop } from './served-shop.ts'
import { agreement, checkoutOf, countEvents } from './stages.ts'

const { server, shop, stages, answering } = await servedShop()

const PAID = { action: 'Service.payment_successful' }
const FAILED = { action: 'Service.payment_failed', error: expect.stringMatching(/\S/) }
const INVALID = { action: 'Service.invalid_form' }

const cartOf = (total: number) => ({
  cart: {
    currency: 'EUR',
    order_total_with_tax: total,
    items: [{ type: 'product', reference: 'A', name: 'A', quantity: 1, price_with_tax: total, total_with_tax: total }],
  },
})

const refunds = async (ref: string): Promise<number> => {
  await shop.advance(0)
  return countEvents(shop, ref, 'payment.refunded')
}

describe('the amount due now', () => {
  it.each<[string, number, number, number]>([
    ['pp3', 3, 10_000, 3_334 + 250],
    ['sp1', 3, 10_000, 3_334],
    ['fp1', 1, 10_000, 10_000],
  ])('of %s in %d instalments, for %d, is %d', async (product, count, total, due) => {
    const { action } = await stages.revealed(agreement(product, count), cartOf(total))
    expect(action).toMatchObject({ action: 'require_payment', amount: { value: due } })
  })

  it('is zero for i1', async () => {
    const { action } = await stages.revealed(agreement('i1'))
    expect(action).toMatchObject({ action: 'wait_for_confirmation' })
  })
})

describe('a card', () => {
  it('that pays leads to confirmation, and is never asked for again', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    expect(await shop.pay(action.iframe_url)).toEqual(PAID)
    expect(await shop.pay(action.iframe_url)).toEqual(PAID)
    expect(['wait_for_confirmation', 'finish']).toContain((await shop.wait(ref)).action)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await refunds(ref)).toBe(0)
    expect(await countEvents(shop, ref, 'payment.succeeded')).toBe(1)
  })

  it('that is declined keeps require_payment with a new iframe_url; the fifth time leads to show_error', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    const seen = new Set<unknown>()
    let current: Action = action
    for (let round = 1; round <= 5; round++) {
      expect(seen.has(current.iframe_url), `round ${round}`).toBe(false)
      seen.add(current.iframe_url)
      expect(await shop.pay(current.iframe_url, DECLINED_CARD)).toEqual(FAILED)
      if (round < 5) {
        const next = await shop.wait(ref)
        expect(next).toEqual({ ...current, iframe_url: next.iframe_url })
        current = next
      }
    }
    const ended = await shop.wait(ref)
    expect(ended).toEqual({ action: 'show_error', messages: [expect.stringMatching(/\S/)] })
    expect(await checkoutOf(shop, ref)).toBe('failed')
    expect(await refunds(ref)).toBe(0)
  })

  it('declined repeatedly at one address counts as one attempt', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    for (let n = 0; n < 6; n++) expect(await shop.pay(action.iframe_url, DECLINED_CARD)).toEqual(FAILED)
    expect(await shop.wait(ref)).toMatchObject({ action: 'require_payment' })
    expect(await countEvents(shop, ref, 'payment.failed')).toBe(1)
  })

  it('with a wrong field does not count as an attempt', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    const before = await shop.history(ref)
    const wrong: readonly Readonly<Record<string, string>>[] = [
      {},
      { ...CARD, number: '4111111111111112' },
      { ...CARD, expiry: '01/20' },
      { ...CARD, cvc: '12' },
    ]
    for (const fields of wrong)
      expect(await shop.pay(action.iframe_url, fields), JSON.stringify(fields)).toEqual(INVALID)
    expect(await shop.wait(ref)).toEqual(action)
    expect(await shop.history(ref)).toEqual(before)
  })

  it('number never appears in what the merchant sees', async () => {
    const ref = await stages.paid()
    expect(JSON.stringify([await shop.order(ref), await shop.history(ref)])).not.toContain(CARD.number)
  })
})

describe('a payment that is not the open one', () => {
  it('is refunded exactly once if it succeeds, and changes no state', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    await shop.pay(action.iframe_url, DECLINED_CARD)
    const open = await shop.wait(ref)
    expect(await shop.pay(action.iframe_url)).toEqual(PAID)
    await Promise.all(Array.from({ length: 5 }, () => shop.pay(action.iframe_url)))
    expect(await shop.wait(ref)).toEqual(open)
    expect(await refunds(ref)).toBe(1)
    await shop.pay(open.iframe_url)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    await shop.advance(86_400)
    expect(await refunds(ref)).toBe(1)
  })

  it('is 404 at an address that was never handed out', async () => {
    const { action } = await stages.revealed(agreement('fp1'))
    const answer = await shop.form(`${String(action.iframe_url).slice(0, -4)}AAAA`, CARD)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
  })

  it('happens once, even if many requests pay at once', async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    const answers = await Promise.all(Array.from({ length: 20 }, () => shop.pay(action.iframe_url)))
    for (const answer of answers) expect(answer).toEqual(PAID)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await countEvents(shop, ref, 'payment.succeeded')).toBe(1)
    expect(await refunds(ref)).toBe(0)
  })
})

describe('3-D Secure', () => {
  const challenged = async () => {
    const { ref, action } = await stages.revealed(agreement('fp1'))
    const challenge = await shop.pay(action.iframe_url, CHALLENGED_CARD)
    return { ref, action, challenge }
  }
  const answered = async (challenge: Action, status: string): Promise<Json> =>
    (await (await shop.form(String(challenge.src), { status })).json()) as Json

  it('asks first, and does not count as an attempt by itself', async () => {
    const { ref, action, challenge } = await challenged()
    expect(challenge).toEqual({
      action: 'Service.3ds_authentication',
      src: expect.stringMatching(new RegExp(`^${server.url}/`)),
    })
    expect(await shop.wait(ref)).toEqual(action)
  })

  it('that succeeds pays', async () => {
    const { ref, challenge } = await challenged()
    expect(await answered(challenge, 'success')).toEqual(PAID)
    expect(await answered(challenge, 'success')).toEqual(PAID)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    expect(await refunds(ref)).toBe(0)
  })

  it('that fails is a failed payment', async () => {
    const { ref, action, challenge } = await challenged()
    expect(await answered(challenge, 'failure')).toEqual(FAILED)
    const next = await shop.wait(ref)
    expect(next).toEqual({ ...action, iframe_url: next.iframe_url })
    expect(next.iframe_url).not.toBe(action.iframe_url)
  })
})

describe('a saved card', () => {
  const shopper = { nin: '77777777B', mobile_phone: '677777777' }
  const fp1 = { ...shopper, ...agreement('fp1') }
  const saving = async (extra: Json, card: Readonly<Record<string, string>> = { ...CARD, save: 'on' }) => {
    const { ref, action } = await stages.revealed(extra)
    const answer = await shop.pay(action.iframe_url, card)
    if (answer.src !== undefined) await shop.form(String(answer.src), { status: 'success' })
    await shop.advance(0)
    return ref
  }
  const offered = async (extra: Json): Promise<readonly Json[]> => {
    const { action } = await stages.revealed({ ...agreement('fp1'), ...extra })
    return action.reusable_cards as readonly Json[]
  }

  it('is offered to the same nin and phone in a later order, and to nobody else', async () => {
    await saving(fp1)
    expect(await offered(shopper)).toEqual([
      {
        iframe_url: expect.stringMatching(new RegExp(`^${server.url}/`)),
        expiry_month_year: '12/40',
        last_four: '1111',
        masked_pan: expect.stringMatching(/^\d{0,6}\D+1111$/),
      },
    ])
    expect(await offered({ nin: '7777.7777-b', mobile_phone: '677 77 77 77', surnames: 'Otra Vez' })).toHaveLength(1)
    expect(await offered({ ...shopper, nin: '66666666Q' })).toEqual([])
    expect(await offered({ ...shopper, mobile_phone: '677777778' })).toEqual([])
  })

  it('pays with only its CVC, and a wrong CVC does not count as an attempt', async () => {
    const { ref, action } = await stages.revealed(fp1)
    const [card] = action.reusable_cards as readonly Json[]
    expect(await shop.pay(card?.iframe_url, { cvc: '1' })).toEqual(INVALID)
    expect(await shop.pay(card?.iframe_url, {})).toEqual(INVALID)
    expect(await shop.wait(ref)).toEqual(action)
    expect(await shop.pay(card?.iframe_url, { cvc: '123' })).toEqual(PAID)
    await shop.advance(0)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
  })

  it('is stored once, even if it is used often', async () => {
    await saving(fp1)
    expect(await offered(shopper)).toHaveLength(1)
    await saving(fp1, { ...CHALLENGED_CARD, save: 'on' })
    expect(await offered(shopper)).toHaveLength(2)
  })

  it('is stored only if the shopper agrees', async () => {
    const quiet = { nin: '55555555K', mobile_phone: '655555555' }
    await saving({ ...quiet, ...agreement('fp1') }, CARD)
    expect(await offered(quiet)).toEqual([])
  })
})

describe('a refund is made exactly once', () => {
  it('if the merchant refuses the paid order', async () => {
    const ref = await stages.paid({}, answering('refund-conflict', 409))
    expect(await shop.wait(ref)).toEqual({ action: 'show_conflict' })
    await shop.advance(86_400)
    expect(await refunds(ref)).toBe(1)
  })

  it('if the paid order is not confirmed in time', async () => {
    const ref = await stages.paid({}, answering('refund-expiry', 500))
    await shop.advance(86_400)
    expect(await shop.wait(ref)).toMatchObject({ action: 'show_error' })
    await shop.advance(86_400)
    expect(await refunds(ref)).toBe(1)
  })

  it('if the operator and the shop cancel the confirmed order at once', async () => {
    const ref = await stages.paid({}, { merchant_reference: { order_ref_1: 'refund-me' } })
    const empty = { order_total_with_tax: 0, items: [] }
    const update = () =>
      shop.asMerchant('PUT', '/merchants/demo/orders/refund-me', {
        order: { merchant: { id: 'demo' }, merchant_reference: {}, shipped_cart: empty, unshipped_cart: empty },
      })
    const answers = await Promise.all([shop.decide(ref, 'cancel'), update(), shop.decide(ref, 'cancel'), update()])
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1)
    expect(await shop.wait(ref)).toMatchObject({ action: 'finish' })
    await shop.advance(86_400)
    expect(await refunds(ref)).toBe(1)
    expect((await shop.order(ref)).state).toMatchObject({ checkout: 'confirmed', cancellation: 'cancelled' })
  })
})
