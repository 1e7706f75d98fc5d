import { describe, expect, it } from 'vitest'
import { StateOnWire } from '../../protocol/order-view.ts'
import { type OrderState, REGIONS, STATE_NAMES } from '../order.ts'
import { machineValue, metaOf, nameOnWire, pathOf, restingStates, stateOnWire } from './order-machine.ts'

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
