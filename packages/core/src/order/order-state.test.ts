import { describe, expect, it } from 'vitest'
import { StateOnWire } from '../protocol/order-view.ts'
import { nameOnWire, type OrderState, REGIONS, restingStates, STATE_NAMES } from './order-state.ts'

describe('the names of an order’s states', () => {
  it.each(REGIONS)('are those the machine has in its region %s', (region) => {
    expect([...STATE_NAMES[region]].sort()).toEqual([...restingStates(region)].sort())
  })
  it.each(REGIONS)('are those the wire knows in its region %s, and no others', (region) => {
    const names = STATE_NAMES[region].map((name) => nameOnWire(region, { [region]: name } as unknown as OrderState))
    expect([...new Set(names)].sort()).toEqual(Object.keys(StateOnWire.type.type.props[region].keys).sort())
  })
})
