import { describe, expect, it } from 'vitest'
import { planOf } from '../protocol/credit-product.ts'
import {
  confirmWithMerchant,
  effectInLane,
  FP1,
  I1,
  type OrderFixture,
  orderFixture,
  PLACED,
  PP3,
} from '../testing/harness/order-fixture.ts'
import type { Payment } from './order-context.ts'
import { paidTotal, presentTotal, refundedTotal } from './reduction.ts'
import type { Step } from './step.ts'

const SP1 = { product: 'sp1', instalmentCount: 3 }

const totalOf = (fixture: OrderFixture): number =>
  presentTotal({ ...fixture.order(), ...fixture.order().context })

const reduceTo = (fixture: OrderFixture, total: number): Step => {
  const unshipped = Math.min(total, 50)
  return fixture.send({
    type: 'order.reduced',
    carts: { shipped: total - unshipped, unshipped },
    from: totalOf(fixture),
  })
}

const cancel = (fixture: OrderFixture): Step =>
  fixture.send({ type: 'order.cancelled', by: 'merchant' })

const refundIn = (result: Step): number | null => {
  const payload = effectInLane(result, 'refund')?.payload
  return payload?.kind === 'refund' ? payload.amount : null
}

describe('what an order has been paid and paid back', () => {
  const payment = (change: Partial<Payment>): Payment => ({
    ...{ key: 'k', token: 't', amount: 100, state: 'succeeded', providerUrl: null },
    ...{ challenge: null, voidedBy: null, refundedBy: null, refunds: [] },
    ...change,
  })
  const payments = [
    payment({ refunds: [{ by: 'a', amount: 5 }] }),
    payment({ state: 'unexpected', refundedBy: 'b' }),
    payment({ state: 'open' }),
    payment({ state: 'failed' }),
  ]

  it('is the sum of what came, also unexpectedly, and of what went back', () => {
    expect([paidTotal({ payments }), refundedTotal({ payments })]).toEqual([205, 105])
  })
})

describe('a reduction', () => {
  it.each([
    ['pays all at once', FP1, [6_050, 6_050], [6_050, null], 6_050],
    [
      'pays all at once, in several reductions',
      FP1,
      [12_000, 12_000, 100, 0],
      [100, null, 11_900, 100],
      null,
    ],
    // The first of three instalments is 4,034, and its fee is 250.
    ['has paid an instalment, and still owes more', PP3, [6_050], [null], 4_284],
    ['has paid more than the new total', PP3, [4_000], [34], 4_250],
    ['owes nothing more, but the fee stays paid', PP3, [0], [4_034], 250],
    ['has paid an instalment without a fee', SP1, [4_033, 1_000], [1, 3_033], 1_000],
    ['has paid all of it back', SP1, [0], [4_034], null],
    ['has paid nothing', I1, [6_050, 0], [null, null], null],
  ])(
    'of a shopper who %s sends back exactly what is too much',
    (_, agreement, totals, refunds, rest) => {
      const fixture = confirmWithMerchant(orderFixture(), agreement)
      expect(totals.map((total) => refundIn(reduceTo(fixture, total)))).toEqual(refunds)
      expect(totalOf(fixture)).toBe(totals.at(-1))
      const paid = [...refunds, rest].reduce<number>((sum, amount) => sum + (amount ?? 0), 0)
      expect(paidTotal(fixture.order().context)).toBe(paid)
      // A cancellation sends back what is left, with the fee.
      expect(refundIn(cancel(fixture))).toBe(rest)
      expect(refundedTotal(fixture.order().context)).toBe(planOf(agreement, PLACED).dueNow)
    },
  )

  it('has a line with both totals, and its refund a line with its amount, in the currency’s digits', () => {
    const fixture = confirmWithMerchant(orderFixture({ currency: 'JPY' }), FP1)
    const [line] = reduceTo(fixture, 6_050).journal
    expect(line).toMatchObject({ event: 'order.reduced', detail: 'from 12100 JPY to 6050 JPY' })
    expect(fixture.reply('refund', { type: 'payment.refunded' }).journal[0]).toMatchObject({
      detail: '6050 JPY',
    })
    const euros = confirmWithMerchant(orderFixture(), FP1)
    expect(reduceTo(euros, 5).journal[0]?.detail).toBe('from 121.00 EUR to 0.05 EUR')
  })
})
