import { describe, expect, it } from 'vitest'
import type { Agreement } from '../protocol/credit-product.ts'
import {
  afterReply,
  FP1,
  I1,
  type OrderFixture,
  orderFixture,
  PP3,
  reachReview,
  reachScreening,
  revealOutcome,
  SUBMISSION,
  submitPerson,
  TERMS,
  VISA,
} from '../testing/harness/order-fixture.ts'
import { identificationAction, offeredAgreement, returnUrlOf, waitAction } from './next-action.ts'

const now = (fixture: OrderFixture): number => fixture.order().context.updatedAt
const wait = (fixture: OrderFixture, at = now(fixture)) => waitAction(fixture.order(), TERMS, at)
const actionAfterSubmission = (fixture: OrderFixture, at = now(fixture)) =>
  identificationAction(fixture.order(), TERMS, at)

const offer = { agreements: [I1, PP3], forcedIndex: 1 }
const reachOffer = (): OrderFixture => revealOutcome(orderFixture(), 'alternative', FP1, offer)
const reachPaying = (): OrderFixture => revealOutcome(orderFixture(), 'approved', PP3)
const reachVerifying = (): OrderFixture => revealOutcome(orderFixture(), 'identity')
const reachExpiry = () =>
  afterReply(orderFixture(), 'timer.checkoutLifetime', {
    type: 'timer.fired',
    timer: 'checkoutLifetime.open',
  })

describe('the answers to both endpoints', () => {
  it('say that an order is on hold', () => {
    const fixture = reachReview(orderFixture())
    expect(wait(fixture)).toMatchObject({ action: 'show_on_hold' })
    expect(actionAfterSubmission(fixture)).toEqual({ action: 'show_on_hold' })
  })

  it('lead back to the shop, whose address may name the product', () => {
    const returnUrl = 'https://shop.test/SQ_PRODUCT_CODE?p=SQ_PRODUCT_CODE'
    expect(returnUrlOf(orderFixture({ returnUrl }).order())).toBe('https://shop.test/i1?p=i1')
  })

  it.each([
    ['the form is asked for', orderFixture, { action: 'show_identification_form' }, { errors: {} }],
    [
      'a code is asked for',
      () => submitPerson(orderFixture()),
      { action: 'require_validate_otp' },
      {},
    ],
  ])('when %s', (_, makeFixture, expected, more) => {
    const fixture = makeFixture()
    expect(wait(fixture)).toEqual(expected)
    expect(actionAfterSubmission(fixture)).toEqual({ ...expected, ...more })
  })

  it('count down a running screening, each with its own attribute', () => {
    const fixture = reachScreening(orderFixture())
    expect(wait(fixture)).toEqual({ action: 'wait_for_screening', expires_in: 60 })
    expect(actionAfterSubmission(fixture)).toEqual({
      action: 'wait_for_screening',
      expires_in_seconds: 60,
      polling_url: 'http://plazo.test/wait/U',
    })
    expect(wait(fixture, now(fixture) + 999)).toMatchObject({ expires_in: 60 })
    expect(wait(fixture, now(fixture) + 1_000)).toMatchObject({ expires_in: 59 })
    expect(wait(fixture, now(fixture) + 61_000)).toMatchObject({ expires_in: 0 })
    // If the clock was set back, the countdown still never exceeds the window.
    expect(wait(fixture, now(fixture) - 5_000)).toMatchObject({ expires_in: 60 })
  })

  it('offer other agreements with their cost, and mark a forced one', () => {
    const fixture = reachOffer()
    expect(wait(fixture)).toMatchObject({
      action: 'alt_payment',
      messages: [expect.stringMatching(/\S/)],
      credit_agreements: [
        { product: 'i1', instalment_count: 1, grand_total: { value: 12_100 } },
        { product: 'pp3', instalment_count: 3, grand_total: { value: 12_850 } },
      ],
      forced_credit_agreement_index: 1,
      errors: {},
    })
    expect(actionAfterSubmission(fixture)).toEqual({ action: 'alt_payment' })
  })

  it('lead to the payment, with the saved cards', () => {
    const fixture = reachPaying()
    const [payment] = fixture.order().context.payments
    const iframe_url = `http://plazo.test/pay/U/${payment?.token}`
    expect(wait(fixture)).toMatchObject({
      action: 'require_payment',
      iframe_url,
      reusable_cards: [],
      amount: { value: 4_284, string: '42,84\u00a0€' },
    })
    fixture.reply('cards', { type: 'cards.recalled', cards: [VISA] })
    expect(wait(fixture)).toMatchObject({
      reusable_cards: [
        {
          iframe_url: `${iframe_url}/c`,
          expiry_month_year: '12/40',
          last_four: '1111',
          masked_pan: '4111 **** **** 1111',
        },
      ],
    })
    expect(actionAfterSubmission(fixture)).toEqual(wait(fixture))
  })
})

describe('an error', () => {
  const failPayment = (fixture: OrderFixture) => {
    const answer = wait(fixture)
    return answer.action === 'show_error' ? answer.messages : []
  }
  const outOfCodes = (): OrderFixture => {
    const fixture = submitPerson(orderFixture())
    for (let issue = 0; issue < 3; issue++) fixture.send(SUBMISSION, { after: 31_000 })
    return fixture
  }
  const outOfScreenings = (): OrderFixture => {
    const fixture = reachScreening(orderFixture())
    for (let round = 0; round < 3; round++) {
      fixture.reply('timer.screeningWindow', {
        type: 'timer.fired',
        timer: 'screeningWindow.screening',
      })
      fixture.send(SUBMISSION)
    }
    return fixture
  }
  const ERRORS = [
    ['in the codes', outOfCodes, /códigos/],
    ['of the screening', () => revealOutcome(orderFixture(), 'error'), /tramitar el pedido\./],
    ['of a screening without an answer', outOfScreenings, /a tiempo/],
    [
      'of the ID check',
      () => afterReply(reachVerifying(), 'session', { type: 'session.unavailable' }),
      /identidad/,
    ],
    [
      'of the payment',
      () => afterReply(reachPaying(), 'payment', { type: 'payment.unavailable' }),
      /El pago ha fallado/,
    ],
    [
      'of a merchant who does not answer',
      () => afterReply(revealOutcome(orderFixture()), 'ipn', { type: 'ipn.exhausted' }),
      /no ha confirmado/,
    ],
    ['of an order that has expired', reachExpiry, /no se ha confirmado a tiempo/],
  ] as const

  it.each(ERRORS)('%s tells the shopper what to do', (_, makeFixture, text) => {
    const fixture = makeFixture()
    const messages = failPayment(fixture)
    expect(messages).toEqual([expect.stringMatching(text)])
    expect(actionAfterSubmission(fixture)).toEqual({
      action: 'show_error',
      messages,
      errors: messages,
    })
  })
})

const offerOf = (agreement: Agreement, language = 'en') =>
  offeredAgreement({ currency: 'EUR', total: 10_000, language }, agreement)

const valuesOf = (agreement: Agreement) => {
  const { grand_total, instalment_total, down_payment_total, cost_of_credit } = offerOf(agreement)
  return [grand_total, instalment_total, down_payment_total, cost_of_credit].map(
    ({ value }) => value,
  )
}

describe('an offered agreement', () => {
  it('shows the total, each instalment with its fee, the amount due now, and the cost of credit', () => {
    // The first instalment contains the remainder of the division; the amount of the others is
    // shown.
    expect(valuesOf(PP3)).toEqual([10_750, 3_333 + 250, 3_334 + 250, 750])
    expect(valuesOf(I1)).toEqual([10_000, 10_000, 0, 0])
    expect(valuesOf(FP1)).toEqual([10_000, 10_000, 10_000, 0])
  })
})
