import { describe, expect, it } from 'vitest'
import { StateOnWire } from '../protocol/order-view.ts'
import { PLACED } from '../testing/harness/order-fixture.ts'
import {
  heldReference,
  isOver,
  machineValue,
  metaOf,
  nameOnWire,
  type OrderState,
  operatorTaskOf,
  pathOf,
  REGIONS,
  restingStates,
  STATE_NAMES,
  stateOnWire,
} from './order.ts'
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
  it('is its own from the question to the merchant on, unless the order came to nothing', () => {
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

  it('is free again once the order is cancelled, and not before', () => {
    expect(STATE_NAMES.cancellation.filter((cancellation) => held({ cancellation }) === null)).toEqual(['cancelled'])
  })

  it('is none where the merchant gave none', () => {
    expect(held({}, '')).toBeNull()
  })
})

describe('an order is over', () => {
  const over = (state: Partial<OrderState>) => isOver({ ...CONFIRMED, ...state })

  it('where its checkout has ended', () => {
    expect(STATE_NAMES.checkout.filter((checkout) => over({ checkout }))).toEqual([
      'confirmed',
      'rejected',
      'cancelled',
      'conflicted',
      'failed',
      'expired',
    ])
  })

  it('once its risk is known, or will never be', () => {
    expect(STATE_NAMES.risk.filter((risk) => over({ risk }))).toEqual(['unassessed', 'lowRisk', 'highRisk'])
  })

  it('when nobody is asked about a cancellation, or asks', () => {
    expect(STATE_NAMES.cancellation.filter((cancellation) => over({ cancellation }))).toEqual([
      'none',
      'cancelled',
      'tooLate',
    ])
  })
})

const VERIFIED: OrderState = { checkout: 'verified', risk: 'lowRisk', cancellation: 'tooLate' }

describe('the names of an order’s states', () => {
  it.each(REGIONS)('are those the machine has in its region %s', (region) => {
    expect([...STATE_NAMES[region]].sort()).toEqual([...restingStates(region)].sort())
  })
  it.each(REGIONS)('are those the wire knows in its region %s, and no others', (region) => {
    const names = STATE_NAMES[region].map((name) => nameOnWire(region, { [region]: name } as unknown as OrderState))
    expect([...new Set(names)].sort()).toEqual(Object.keys(StateOnWire.type.type.props[region].keys).sort())
  })
  it('are shown in snake_case, and the steps of an ID check as one', () => {
    expect(stateOnWire(VERIFIED)).toEqual({
      checkout: 'verifying_identity',
      risk: 'low_risk',
      cancellation: 'too_late',
    })
    expect(stateOnWire({ ...VERIFIED, checkout: 'choosingAlternative' }).checkout).toBe('choosing_alternative')
  })
  it('lead into the machine', () => {
    expect(pathOf('checkout', VERIFIED)).toEqual(['checkout', 'open', 'proving', 'verifyingIdentity', 'verified'])
    expect(pathOf('risk', VERIFIED)).toEqual(['risk', 'lowRisk'])
    expect(pathOf('cancellation', VERIFIED)).toEqual(['cancellation', 'refused', 'tooLate'])
    expect(machineValue(VERIFIED)).toEqual({
      checkout: { open: { proving: { verifyingIdentity: 'verified' } } },
      risk: 'lowRisk',
      cancellation: { refused: 'tooLate' },
    })
  })
  it('that the machine does not have are a fault, which names them', () => {
    const dreaming = { ...VERIFIED, risk: 'dreaming' } as unknown as OrderState
    expect(() => metaOf('risk', dreaming)).toThrow('The machine has no state dreaming in its region risk.')
  })
})

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
