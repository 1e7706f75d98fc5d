import { describe, expect, it } from 'vitest'
import { PLACED } from '../testing/harness/order-fixture.ts'
import { restingStates } from './model.ts'
import type { OrderState } from './order.ts'
import { NEW_CONTEXT } from './order-context.ts'
import { isOver, operatorTaskOf } from './order-facts.ts'
import { heldReference } from './step.ts'

const CONFIRMED: OrderState = { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' }

const referenceIn = (state: Partial<OrderState>, first = 'R1') =>
  heldReference({
    placed: PLACED,
    revision: 1,
    state: { ...CONFIRMED, ...state },
    context: { ...NEW_CONTEXT, references: { first, second: 'R2' } },
  })

describe('the reference of an order', () => {
  it('is reserved from the question to the merchant on, unless the order has failed', () => {
    const reserving = restingStates('checkout').filter(
      (checkout) => referenceIn({ checkout }) !== null,
    )
    expect(reserving).toEqual(['confirming', 'holding', 'reviewing', 'confirmed'])
    for (const checkout of reserving) expect(referenceIn({ checkout })).toBe('R1')
  })

  it('is free again once the order is cancelled, and not earlier', () => {
    expect(
      restingStates('cancellation').filter(
        (cancellation) => referenceIn({ cancellation }) === null,
      ),
    ).toEqual(['cancelled'])
  })

  it('does not exist if the merchant gave none', () => {
    expect(referenceIn({}, '')).toBeNull()
  })
})

describe('an order is over', () => {
  const isOverIn = (state: Partial<OrderState>) => isOver({ ...CONFIRMED, ...state })

  it('after its checkout has ended', () => {
    expect(restingStates('checkout').filter((checkout) => isOverIn({ checkout }))).toEqual([
      'confirmed',
      'rejected',
      'cancelled',
      'conflicted',
      'failed',
      'expired',
    ])
  })

  it('once its risk is known, or cannot become known', () => {
    expect(restingStates('risk').filter((risk) => isOverIn({ risk }))).toEqual([
      'unassessed',
      'lowRisk',
      'highRisk',
    ])
  })

  it('if no cancellation is open', () => {
    expect(
      restingStates('cancellation').filter((cancellation) => isOverIn({ cancellation })),
    ).toEqual(['none', 'tooLate', 'cancelled'])
  })
})

describe('an order waits for an operator', () => {
  it('while it is reviewed, and in no other state of its checkout', () => {
    const waiting = restingStates('checkout').map(
      (checkout) => [checkout, operatorTaskOf({ ...CONFIRMED, checkout })] as const,
    )
    expect(waiting.filter(([, what]) => what !== null)).toEqual([['reviewing', 'review']])
  })
  it('while its merchant has not decided on a cancellation, and if they never will', () => {
    const waiting = restingStates('cancellation').map(
      (cancellation) => [cancellation, operatorTaskOf({ ...CONFIRMED, cancellation })] as const,
    )
    expect(waiting).toEqual([
      ['none', null],
      ['scheduled', null],
      ['asking', 'asked'],
      ['waiting', 'asked'],
      ['tooLate', null],
      ['unsupported', 'unsupported'],
      ['unanswered', 'unanswered'],
      ['cancelled', null],
    ])
  })
})
