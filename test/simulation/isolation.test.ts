import { describe, expect, it } from 'vitest'
import { isolatedWeek, PER_MERCHANT, SOCKETS } from './isolation.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

describe('a week in which thirty of forty merchants hang, on a node with forty sockets', () => {
  it('delays no good merchant, uses at most half of the sockets for the bad ones, and loses nothing', async () => {
    const { waits, most, recoveredAfter, unfinished } = await isolatedWeek(1, 8)
    expect(waits.length).toBeGreaterThan(1_000)
    expect(Math.max(...waits)).toBeLessThanOrEqual(SECOND)
    expect(most.bad).toBeLessThanOrEqual(SOCKETS / 2)
    expect(most.ofOne).toBeLessThanOrEqual(PER_MERCHANT)

    // Every delayed delivery was sent. No attempt was dropped, lost, or made because a share was missing.
    expect(unfinished.length).toBeGreaterThan(500)
    expect(new Set(unfinished.map(({ state }) => state))).toEqual(new Set(['delivered']))
    const attempts = unfinished.flatMap((delivery) => delivery.attempts)
    expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['error', 'accepted']))
    for (const delivery of unfinished) {
      const bySchedule = delivery.attempts.filter(({ trigger }) => trigger === 'schedule')
      expect(bySchedule.length).toBeLessThanOrEqual(24)
      expect(delivery.attempts.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1)
    }

    // A merchant that answers again has its full share within a minute.
    expect(recoveredAfter).toBeLessThanOrEqual(MINUTE)
  })
})
