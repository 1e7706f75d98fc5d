import { describe, expect, it } from 'vitest'
import type { Agreement } from '../protocol/credit-product.ts'
import { FP1, I1, PP3 } from '../testing/harness/order-fixture.ts'
import { offeredAgreement } from './agreement.ts'

const offered = (agreement: Agreement, language = 'en') =>
  offeredAgreement({ currency: 'EUR', total: 10_000, language }, agreement)

const values = (agreement: Agreement) => {
  const { grand_total, instalment_total, down_payment_total, cost_of_credit } = offered(agreement)
  return [grand_total, instalment_total, down_payment_total, cost_of_credit].map(({ value }) => value)
}

describe('an agreement, as it is offered,', () => {
  it('shows the whole, each instalment with its fee, what is due at once, and what the credit costs', () => {
    // The first instalment contains the remainder of the division; the amount of the others is shown.
    expect(values(PP3)).toEqual([10_750, 3_333 + 250, 3_334 + 250, 750])
    expect(values(I1)).toEqual([10_000, 10_000, 0, 0])
    expect(values(FP1)).toEqual([10_000, 10_000, 10_000, 0])
  })
  it('is named, and its amounts are in the order’s currency and language', () => {
    expect(offered(PP3)).toMatchObject({ product: 'pp3', instalment_count: 3, grand_total: { string: '€107.50' } })
    expect(offered(PP3, 'es-ES').grand_total.string).toBe('107,50\u00a0€')
  })
})
