import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CATALOGUE, planOf } from './credit-product.ts'
import { annualRateTenths, instalmentsOf } from './plan-schedule.ts'

const AT = Date.UTC(2026, 0, 31, 15)
const pp3 = planOf({ product: 'pp3', instalmentCount: 3 }, 12_100)

describe('the instalments of a plan', () => {
  it('are due on the same day of each month, or on its last day', () => {
    expect(instalmentsOf(pp3, AT)).toEqual([
      { due: '2026-01-31', amount: 4284, isNow: true },
      { due: '2026-02-28', amount: 4283, isNow: false },
      { due: '2026-03-31', amount: 4283, isNow: false },
    ])
  })

  it('begin a month later if nothing is due now', () => {
    const plan = planOf({ product: 'i1', instalmentCount: 1 }, 12_100)
    expect(instalmentsOf(plan, AT)).toEqual([{ due: '2026-02-28', amount: 12_100, isNow: false }])
  })

  it('add up to all that the shopper pays, and those now to what is due now', () => {
    const offers = CATALOGUE.flatMap(({ code, instalmentCounts }) =>
      instalmentCounts.map((instalmentCount) => ({ product: code, instalmentCount })),
    )
    fc.assert(
      fc.property(fc.constantFrom(...offers), fc.integer({ min: 100, max: 1_000_000 }), (agreement, total) => {
        const plan = planOf(agreement, total)
        const all = instalmentsOf(plan, AT)
        const sum = (amounts: readonly { readonly amount: number }[]) =>
          amounts.reduce((to, { amount }) => to + amount, 0)
        expect(sum(all)).toBe(plan.grandTotal)
        expect(sum(all.filter(({ isNow }) => isNow))).toBe(plan.dueNow)
      }),
    )
  })
})

describe('the annual rate of a plan', () => {
  it('is zero if the credit is free', () => {
    expect(annualRateTenths(planOf({ product: 'i1', instalmentCount: 1 }, 12_100), 12_100)).toBe(0)
    expect(annualRateTenths(planOf({ product: 'sp1', instalmentCount: 3 }, 12_100), 12_100)).toBe(0)
  })

  it('does not exist if all is paid now', () => {
    expect(annualRateTenths(planOf({ product: 'fp1', instalmentCount: 1 }, 12_100), 12_100)).toBeNull()
  })

  it('makes the later instalments worth what is not paid now', () => {
    const yearly = {
      instalments: [...Array.from({ length: 11 }, () => 0), 11_000],
      fee: 0,
      dueNow: 0,
    }
    expect(annualRateTenths(yearly, 10_000)).toBe(100)
  })

  it('counts fees as a cost', () => {
    // (12,100 − 4,284) = 4,283 / x + 4,283 / x² has x = 1.0636…, and x¹² is the yearly factor.
    expect(annualRateTenths(pp3, 12_100)).toBeGreaterThan(1_000)
    expect(annualRateTenths(planOf({ product: 'pp3', instalmentCount: 3 }, 100_000), 100_000)).toBeLessThan(100)
  })
})
