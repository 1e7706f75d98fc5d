import { describe, expect, it } from 'vitest'
import type { Agreement } from '../protocol/credit-product.ts'
import { FP1, I1, PLACED, PP3 } from '../testing/harness/order-fixture.ts'
import { heldReference, isOver, type OrderState, offeredAgreement, operatorTaskOf, STATE_NAMES } from './order.ts'
import { newContext } from './order-context.ts'

const CONFIRMED: OrderState = { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' }

const held = (state: Partial<OrderState>, first = 'R1') =>
  heldReference({
    placed: PLACED,
    revision: 1,
    state: { ...CONFIRMED, ...state },
    context: newContext(0, { first, second: 'R2' }),
  })

describe('the reference of an order', () => {
  it('is reserved from the question to the merchant on, unless the order has failed', () => {
    expect(STATE_NAMES.checkout.filter((checkout) => held({ checkout }) === 'R1')).toEqual([
      'confirming',
      'holding',
      'reviewing',
      'confirmed',
    ])
    expect(
      STATE_NAMES.checkout.filter((checkout) => held({ checkout }) !== 'R1' && held({ checkout }) !== null),
    ).toEqual([])
  })

  it('is free again once the order is cancelled, and not earlier', () => {
    expect(STATE_NAMES.cancellation.filter((cancellation) => held({ cancellation }) === null)).toEqual(['cancelled'])
  })

  it('does not exist if the merchant gave none', () => {
    expect(held({}, '')).toBeNull()
  })
})

describe('an order is over', () => {
  const over = (state: Partial<OrderState>) => isOver({ ...CONFIRMED, ...state })

  it('after its checkout has ended', () => {
    expect(STATE_NAMES.checkout.filter((checkout) => over({ checkout }))).toEqual([
      'confirmed',
      'rejected',
      'cancelled',
      'conflicted',
      'failed',
      'expired',
    ])
  })

  it('once its risk is known, or cannot become known', () => {
    expect(STATE_NAMES.risk.filter((risk) => over({ risk }))).toEqual(['unassessed', 'lowRisk', 'highRisk'])
  })

  it('if no cancellation is open', () => {
    expect(STATE_NAMES.cancellation.filter((cancellation) => over({ cancellation }))).toEqual([
      'none',
      'cancelled',
      'tooLate',
    ])
  })
})

describe('an order waits for an operator', () => {
  it('while it is reviewed, and in no other state of its checkout', () => {
    const waiting = STATE_NAMES.checkout.map(
      (checkout) => [checkout, operatorTaskOf({ ...CONFIRMED, checkout })] as const,
    )
    expect(waiting.filter(([, what]) => what !== null)).toEqual([['reviewing', 'review']])
  })
  it('while its merchant has not decided on a cancellation, and if they never will', () => {
    const waiting = STATE_NAMES.cancellation.map(
      (cancellation) => [cancellation, operatorTaskOf({ ...CONFIRMED, cancellation })] as const,
    )
    expect(waiting).toEqual([
      ['none', null],
      ['scheduled', null],
      ['asking', 'asked'],
      ['waiting', 'asked'],
      ['cancelled', null],
      ['tooLate', null],
      ['unsupported', 'unsupported'],
      ['unanswered', 'unanswered'],
    ])
  })
})

const offered = (agreement: Agreement, language = 'en') =>
  offeredAgreement({ currency: 'EUR', total: 10_000, language }, agreement)

const values = (agreement: Agreement) => {
  const { grand_total, instalment_total, down_payment_total, cost_of_credit } = offered(agreement)
  return [grand_total, instalment_total, down_payment_total, cost_of_credit].map(({ value }) => value)
}

describe('an offered agreement', () => {
  it('shows the total, each instalment with its fee, the amount due now, and the cost of credit', () => {
    // The first instalment contains the remainder of the division; the amount of the others is shown.
    expect(values(PP3)).toEqual([10_750, 3_333 + 250, 3_334 + 250, 750])
    expect(values(I1)).toEqual([10_000, 10_000, 0, 0])
    expect(values(FP1)).toEqual([10_000, 10_000, 10_000, 0])
  })
  it('has a name and amounts in the order’s language and currency', () => {
    expect(offered(PP3)).toMatchObject({ product: 'pp3', instalment_count: 3, grand_total: { string: '€107.50' } })
    expect(offered(PP3, 'es-ES').grand_total.string).toBe('107,50\u00a0€')
  })
})
