import { describe, expect, it } from 'vitest'
import { ALL_KILL_POINTS, crashPlan } from './crash-plan.ts'
import { nodesPlan } from './nodes-plan.ts'
import { clusterRun } from './run.ts'

describe('a cluster run', () => {
  // `pnpm crash` runs the same with 200 kills or more.
  it('loses nothing when the process is killed under load, at random moments and at each named point', async () => {
    const [kills, each] = [12, 2]
    const { violations, facts, account, placed } = await clusterRun({
      seed: 20_261,
      shoppers: 12,
      plan: crashPlan({ kills, each }),
    })
    expect(violations).toEqual([])
    expect(Object.values(facts.killed).reduce((sum, count) => sum + count, 0)).toBe(
      kills + each * ALL_KILL_POINTS.length,
    )
    expect(ALL_KILL_POINTS.filter((point) => facts.killed[point] !== each)).toEqual([])
    expect(account.orders.length).toBeGreaterThanOrEqual(placed)
    expect(account.requests.repeated).toBeGreaterThan(0)
  })

  // `pnpm nodes` runs the same with many more orders and rounds.
  it.each(['restart', 'kill'] as const)(
    'with three servers loses nothing and does nothing twice when one is killed, one is frozen past its leases and the database goes away: %s',
    async (database) => {
      const orders = 33
      const plan = nodesPlan({ orders, rounds: 1, database })
      const { violations, account, placed, facts } = await clusterRun({ seed: 20_262, shoppers: 8, plan })
      expect(violations).toEqual([])
      expect(placed).toBeGreaterThanOrEqual(orders)
      expect(account.orders.length).toBeGreaterThanOrEqual(placed)
      expect(Math.min(...facts.requestCounts)).toBeGreaterThan(50)
      expect(facts.refused).toBeGreaterThan(0)
      expect(facts.laneChecks).toBeGreaterThan(50)
    },
  )
})
