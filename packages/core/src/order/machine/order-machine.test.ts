import { describe, expect, it } from 'vitest'
import { StateOnWire } from '../../protocol/order-view.ts'
import { type OrderState, REGIONS, STATE_NAMES } from '../order.ts'
import { machineValue, metaOf, nameOnWire, pathOf, restingStates, stateOnWire } from './order-machine.ts'

const VERIFIED: OrderState = { checkout: 'verified', risk: 'lowRisk', cancellation: 'tooLate' }

describe('the names of an order’s states', () => {
  it.each(REGIONS)('match those of the machine in its region %s', (region) => {
    expect([...STATE_NAMES[region]].sort()).toEqual([...restingStates(region)].sort())
  })
  it.each(REGIONS)('match those of the wire in its region %s', (region) => {
    const names = STATE_NAMES[region].map((name) => nameOnWire(region, { [region]: name } as unknown as OrderState))
    expect([...new Set(names)].sort()).toEqual(Object.keys(StateOnWire.type.type.props[region].keys).sort())
  })
  it('are shown in snake_case, with one name for all steps of an ID check', () => {
    expect(stateOnWire(VERIFIED)).toEqual({
      checkout: 'verifying_identity',
      risk: 'low_risk',
      cancellation: 'too_late',
    })
    expect(stateOnWire({ ...VERIFIED, checkout: 'choosingAlternative' }).checkout).toBe('choosing_alternative')
  })
  it('can start the machine', () => {
    expect(pathOf('checkout', VERIFIED)).toEqual(['checkout', 'open', 'proving', 'verifyingIdentity', 'verified'])
    expect(pathOf('risk', VERIFIED)).toEqual(['risk', 'lowRisk'])
    expect(pathOf('cancellation', VERIFIED)).toEqual(['cancellation', 'refused', 'tooLate'])
    expect(machineValue(VERIFIED)).toEqual({
      checkout: { open: { proving: { verifyingIdentity: 'verified' } } },
      risk: 'lowRisk',
      cancellation: { refused: 'tooLate' },
    })
  })
  it('cause an internal error that names them if the machine does not have them', () => {
    const dreaming = { ...VERIFIED, risk: 'dreaming' } as unknown as OrderState
    expect(() => metaOf('risk', dreaming)).toThrow('The machine has no state dreaming in its region risk.')
  })
})
