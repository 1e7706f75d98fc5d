import { expect, it } from 'vitest'
import { ALL_KILL_POINTS } from './kills.ts'
import { crashRun } from './run.ts'

// `pnpm crash` runs the same with 200 kills or more.
const SIZE = { seed: 20_261, kills: 12, each: 2, shoppers: 12 }

it('loses nothing when the process is killed under load, at random moments and at each named point', async () => {
  const { violations, killed, account, placed } = await crashRun(SIZE)
  expect(violations).toEqual([])
  expect(Object.values(killed).reduce((sum, count) => sum + count, 0)).toBe(
    SIZE.kills + SIZE.each * ALL_KILL_POINTS.length,
  )
  expect(ALL_KILL_POINTS.filter((point) => killed[point] !== SIZE.each)).toEqual([])
  expect(account.orders.length).toBeGreaterThanOrEqual(placed)
  expect(account.requests.repeated).toBeGreaterThan(0)
})
