import { describe, expect, it } from 'vitest'
import { CheckoutSummary } from '../../protocol/action.ts'
import { CATALOGUE, type CreditProduct, PRODUCTS } from '../../protocol/credit-product.ts'
import {
  CODE_SUBMISSION,
  orderFixture,
  PLACED_AT,
  reachScreening,
  submitPerson,
} from '../../testing/harness/order-fixture.ts'
import { checkoutSummary, type Legal } from './show-checkout.ts'

const PP3 = PRODUCTS.get('pp3')
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

const NONE: Legal = { facts: null, withoutCredit: null, missing: ['LENDER_NAME'] }

const summaryOf = (
  fixture = orderFixture(),
  payload: string | null = JSON.stringify(CART),
  at = PLACED_AT,
  legal: Legal = NONE,
) => checkoutSummary(fixture.order(), PP3, { seller: 'Lamps', payload, at, legal })

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
      product: { code: 'pp3', title: 'Paga en 3 a 24 plazos' },
      country: null,
      optional_fields: [],
      return_url: 'http://shop.test/back?product=i1',
      code: null,
    })
  })

  it.each([
    null,
    '{}',
    '[]',
    '{"order":{"cart":{"items":{}}}}',
    '{"order":{"cart":{"items":[null,1]}}}',
  ])('has no items if the cart has none that can be shown: %s', (payload) => {
    expect(summaryOf(orderFixture(), payload).items).toEqual([])
  })

  it('shows the last digits of the phone and the time to the next code, only while a code is awaited', () => {
    expect(phoneOf(PLACED_AT + 2_000)).toEqual({
      phone: '•••• 456',
      next_in_seconds: 29,
      can_be_sent_again: true,
      codes_left: 2,
      tries_left: 5,
    })
    expect(phoneOf(PLACED_AT + 60_000)?.next_in_seconds).toBe(0)
    expect(summaryOf(reachScreening(orderFixture())).code).toBeNull()
  })

  it('counts the codes and the tries that are left', () => {
    const fixture = submitPerson(orderFixture())
    const leftOf = (at: number) => {
      const { codes_left, tries_left } = summaryOf(fixture, null, at).code ?? {}
      return [codes_left, tries_left]
    }
    expect(leftOf(PLACED_AT + 2_000)).toEqual([2, 5])
    for (let tries = 4; tries >= 0; tries--) {
      fixture.send({ ...CODE_SUBMISSION, code: '00000' })
      expect(leftOf(PLACED_AT + 2_000)).toEqual([2, tries])
    }
    expect(leftOf(PLACED_AT + 3_600_000)).toEqual([2, 0])
  })

  it('has the words for the button that binds, with the amount due today', () => {
    const buttonOf = (product: CreditProduct, language: string) =>
      checkoutSummary(orderFixture({ language }).order(), product, {
        seller: 'Lamps',
        payload: null,
        at: PLACED_AT,
        legal: NONE,
      }).plans[0]?.order_button
    const I1 = CATALOGUE[0]
    expect(buttonOf(PP3, 'en')).toBe('Order with obligation to pay €42.84 today')
    expect(buttonOf(I1, 'en')).toBe('Order with obligation to pay €121.00 later')
    expect(buttonOf(PP3, 'es')).toBe('Confirmo el pedido con obligación de pago: 42,84\u00a0€ hoy')
    expect(buttonOf(I1, 'es')).toBe(
      'Confirmo el pedido con obligación de pago: 121,00\u00a0€ más adelante',
    )
  })

  it.each([
    ['all', [1], false],
    ['all', [3], false],
    ['first_instalment', [1], false],
    ['first_instalment', [1, 3], true],
    ['nothing', [1], true],
  ] as const)(
    'has the terms of a credit only if anything is paid later: %s due now, in %j parts',
    (dueNow, instalmentCounts, isCredit) => {
      const lender = { name: 'Bank', address: 'Street 1', supervisor: 'Authority' }
      const paidNow = { lender, contact: 'person@bank.test' }
      const withoutCredit = { en: paidNow, es: paidNow }
      const summaryFor = (legal: Legal) =>
        checkoutSummary(
          orderFixture().order(),
          { ...PP3, dueNow, instalmentCounts },
          { seller: 'Lamps', payload: null, at: PLACED_AT, legal },
        )
      const summary = summaryFor({ ...NONE, withoutCredit })
      expect(CheckoutSummary.is(summary)).toBe(true)
      expect(summary.legal).toEqual(isCredit ? null : paidNow)
      expect(summary.missing_settings).toEqual(isCredit ? ['LENDER_NAME'] : [])
      expect(summaryFor(NONE).legal).toBeNull()
    },
  )

  it('has the plan that was agreed to, of any product, once the code has come', () => {
    expect(summaryOf(submitPerson(orderFixture())).agreed_plan).toBeNull()
    const order = reachScreening(orderFixture()).order()
    const agreement = { product: 'pp3', instalmentCount: 12 }
    const agreed = { ...order, context: { ...order.context, agreement } }
    const input = { seller: 'Lamps', payload: null, at: PLACED_AT, legal: NONE }
    const summary = checkoutSummary(agreed, CATALOGUE[0], input)
    expect(summary.plans.map(({ product }) => product)).toEqual(['i1'])
    expect(summary.agreed_plan).toEqual(
      checkoutSummary(agreed, PP3, input).plans.find((plan) => plan.instalment_count === 12),
    )
    expect(summary.agreed_plan?.instalments).toHaveLength(12)
  })
})
