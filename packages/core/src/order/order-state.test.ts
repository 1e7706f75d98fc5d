import { describe, expect, it } from 'vitest'
import { REGIONS, restingStates, STATE_NAMES } from './order-state.ts'

describe('the names of an order’s states', () => {
  it.each(REGIONS)('are those the machine has in its region %s', (region) => {
    expect([...STATE_NAMES[region]].sort()).toEqual([...restingStates(region)].sort())
  })
})
