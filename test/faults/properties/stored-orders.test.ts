// Stored orders outlive the version that wrote them: this version must read those of every kept version, state by state.
import { REGIONS, restingStates, SNAPSHOT_VERSION } from '@plazo/core/internal'
import { describe, expect, it } from 'vitest'
import { type KeptOrder, keptOrders, readingFaults, storedOrderTerms } from './stored-orders.ts'

const corpus = keptOrders()

const stateOf = ({ snapshot }: KeptOrder): Readonly<Record<string, string>> =>
  JSON.parse(snapshot).state

describe('stored orders', () => {
  it('exist for every version', () => {
    expect([...corpus.keys()].sort()).toEqual(
      Array.from({ length: SNAPSHOT_VERSION }, (_, index) => index + 1),
    )
  })

  it.each([...corpus])(
    'of version %i are decoded as what they were, and can continue',
    async (_, orders) => {
      const terms = await storedOrderTerms()
      expect(orders.flatMap((order) => readingFaults(terms, order))).toEqual([])
    },
  )

  it('of this version cover every state', () => {
    const orders = corpus.get(SNAPSHOT_VERSION) ?? []
    for (const region of REGIONS)
      expect([...new Set(orders.map((order) => stateOf(order)[region]))].sort()).toEqual(
        [...restingStates(region)].sort(),
      )
  })
})
