// Store contract: the statistics are exact, because alerts show them.
import type { Runner } from './runner.ts'
import { aMerchant, HOUR, NOON, type StoreShop, unwrap } from './shop.ts'
import { makeStuck } from './store-fixtures.ts'

export const queueStatsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('queueStats', () => {
    const idle = { inFlight: 0, stuckCount: 0, slowMerchants: [] }

    it('has the next due time of each queue, even if overdue, and counts jobs in flight separately', async () => {
      const nothing = { work: null, event: null, ipn: null }
      expect(await unwrap(shop.store.queueStats())).toEqual({ ...idle, nextDueAt: nothing })
      await shop.placeConfirming()
      const { nextDueAt } = await unwrap(shop.store.queueStats())
      expect(nextDueAt).toMatchObject({ event: NOON, ipn: NOON })
      shop.advance(HOUR)
      expect(await unwrap(shop.store.queueStats())).toEqual({ ...idle, nextDueAt })
      const jobs = await shop.claim()
      const stats = await unwrap(shop.store.queueStats())
      expect(stats).toMatchObject({ nextDueAt: { event: null, ipn: null }, inFlight: jobs.length })
      await unwrap(shop.store.release(jobs, 'started'))
      expect(await unwrap(shop.store.queueStats())).toEqual({ ...idle, nextDueAt })
    })

    it('names the merchants with jobs in flight that were slow, and not those that were never called', async () => {
      for (const ref of ['slow', 'new']) await shop.placeAndSubmit(aMerchant(ref))
      const slow = [{ merchantRef: 'slow', kind: 'event' as const }]
      const jobs = await shop.claimDeliveries({ slow })
      expect((await unwrap(shop.store.queueStats())).slowMerchants).toEqual(['slow'])
      for (const job of jobs) await shop.completeClaim(job, null)
      expect((await unwrap(shop.store.queueStats())).slowMerchants).toEqual([])
    })

    it('counts stuck jobs, which are no longer due', async () => {
      const orderRef = await shop.placeAndSubmit()
      const job = await shop.claimOne(orderRef, 'sms')
      await makeStuck(shop, job)
      const { nextDueAt, stuckCount: stuck } = await unwrap(shop.store.queueStats())
      expect(stuck).toBe(1)
      // The only other work is the timer of the checkout's lifetime.
      expect(nextDueAt.work).toBe(NOON + 24 * HOUR)
    })
  })
}
