import { describe, expect, it } from 'vitest'
import type { Placed } from '../../order/order-context.ts'
import { CheckoutSummary } from '../../protocol/action.ts'
import { productOf } from '../../protocol/credit-product.ts'
import { orderFixture, PLACED_AT, reachScreening, submitPerson } from '../../testing/harness/order-fixture.ts'
import { checkoutSummary } from './show-checkout.ts'

const PP3 = productOf('pp3')
if (PP3 === undefined) throw new Error('The catalogue has no pp3.')

const CART = {
  order: {
    cart: {
      items: [
        { name: 'Lamp', quantity: 2, total_with_tax: 11_000 },
        { name: ['<b>'], quantity: -1, total_with_tax: 1_100 },
      ],
    },
  },
}

const summaryOf = (fixture = orderFixture(), payload: string | null = JSON.stringify(CART), at = PLACED_AT) =>
  checkoutSummary(fixture.order(), PP3, { seller: 'Lamps', payload, at })

const phoneOf = (at: number) => summaryOf(submitPerson(orderFixture()), null, at).code

describe('the summary of a checkout', () => {
  it('names the seller, the cart, the plans and the way back, as its codec says', () => {
    const summary = summaryOf()
    expect(CheckoutSummary.is(summary)).toBe(true)
    expect(summary).toMatchObject({
      seller: 'Lamps',
      language: 'es',
      items: [
        { name: 'Lamp', quantity: 2, total: { value: 11_000 } },
        { name: '', quantity: null, total: { value: 1_100 } },
      ],
      product: { code: 'pp3', title: 'Pago fraccionado' },
      country: null,
      optional_fields: [],
      return_url: 'http://shop.test/back?product=i1',
      code: null,
    })
  })

  it('dates every instalment, and names the annual rate in the shopper’s language', () => {
    const [plan] = summaryOf().plans
    expect(plan?.default).toBe(true)
    expect(plan?.instalments.map(({ due, amount, is_now }) => [due, amount.value, is_now])).toEqual([
      ['2023-11-14', 4284, true],
      ['2023-12-14', 4283, false],
      ['2024-01-14', 4283, false],
    ])
    expect(plan?.annual_rate).toMatch(/^\d+,\d\s%$/)
  })

  it.each([null, '{}', '[]', '{"order":{"cart":{"items":{}}}}', '{"order":{"cart":{"items":[null,1]}}}'])(
    'has no items if the cart has none that can be shown: %s',
    (payload) => {
      expect(summaryOf(orderFixture(), payload).items).toEqual([])
    },
  )

  it('shows the last digits of the phone and the time to the next code, only while a code is awaited', () => {
    expect(phoneOf(PLACED_AT + 2_000)).toEqual({ phone: '•••• 456', next_in_seconds: 29, can_be_sent_again: true })
    expect(phoneOf(PLACED_AT + 60_000)?.next_in_seconds).toBe(0)
    expect(summaryOf(reachScreening(orderFixture())).code).toBeNull()
  })

  it('formats amounts in the order’s currency', () => {
    const placed: Partial<Placed> = { currency: 'USD', language: 'en-US' }
    expect(summaryOf(orderFixture(placed)).total.string).toBe('$121.00')
  })
})
