import { describe, expect, it } from 'vitest'
import { type OrderState, STATE_NAMES } from './order-state.ts'
import { operatorTaskOf } from './waiting.ts'

const CONFIRMED_STATE: OrderState = { checkout: 'confirmed', risk: 'unassessed', cancellation: 'none' }

describe('an order waits for an operator', () => {
  it('while it is reviewed, and in no other state of its checkout', () => {
    const waiting = STATE_NAMES.checkout.map(
      (checkout) => [checkout, operatorTaskOf({ ...CONFIRMED_STATE, checkout })] as const,
    )
    expect(waiting.filter(([, what]) => what !== null)).toEqual([['reviewing', 'review']])
  })
  it('while its merchant has not decided on a cancellation, and when he never will', () => {
    const waiting = STATE_NAMES.cancellation.map(
      (cancellation) => [cancellation, operatorTaskOf({ ...CONFIRMED_STATE, cancellation })] as const,
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
