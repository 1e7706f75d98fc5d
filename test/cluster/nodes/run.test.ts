import { expect, it } from 'vitest'
import { nodesRun } from './run.ts'

// `pnpm nodes` runs the same with many more orders and rounds.
const SIZE = { seed: 20_262, orders: 33, shoppers: 8, rounds: 1 }

it.each(['restart', 'kill'] as const)(
  'three servers lose nothing and do nothing twice when one is killed, one is frozen past its leases and the database goes away: %s',
  async (database) => {
    const { violations, account, placed, asked, refused, laneChecks: looks } = await nodesRun({ ...SIZE, database })
    expect(violations).toEqual([])
    expect(placed).toBeGreaterThanOrEqual(SIZE.orders)
    expect(account.orders.length).toBeGreaterThanOrEqual(placed)
    expect(Math.min(...asked)).toBeGreaterThan(50)
    expect(refused).toBeGreaterThan(0)
    expect(looks).toBeGreaterThan(50)
  },
)
