import { describe, expect, it } from 'vitest'
import { ALL_KILL_POINTS, crashPlan } from './crash-plan.ts'
import { nodesPlan } from './nodes-plan.ts'
import { clusterRun } from './run.ts'

describe('a cluster run', () => {
  // `pnpm crash` runs the same with 200 kills or more.
  it('whose process is killed under load loses nothing, sends what was committed and no more, and repeats a request with the same Webhook-Id and bytes', async () => {
    const [kills, each] = [2, 1]
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
    const { event } = account.effects
    expect(event?.derived).toBeGreaterThan(0)
    expect(event?.performed).toBe(event?.derived)
  }, 300_000)

  // `pnpm nodes` runs the same with many more orders and rounds, and with a database that is
  // restarted instead.
  it('with three servers loses nothing and does nothing twice when one is killed, one is frozen until a third takes over, and the database is killed', async () => {
    const orders = 33
    const plan = nodesPlan({ orders, rounds: 1, database: 'kill' })
    const { violations, account, placed, facts } = await clusterRun({
      seed: 20_262,
      shoppers: 8,
      plan,
    })
    expect(violations).toEqual([])
    expect(placed).toBeGreaterThanOrEqual(orders)
    expect(account.orders.length).toBeGreaterThanOrEqual(placed)
    expect(Math.min(...facts.requestCounts)).toBeGreaterThan(50)
    expect(facts.refused).toBeGreaterThan(0)
  })
})
