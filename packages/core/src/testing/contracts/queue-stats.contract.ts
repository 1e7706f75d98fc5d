// Store contract: the next due time and the statistics are exact: workers sleep until the one, and
// alerts show the other.
import type { Runner } from './runner.ts'
import { aMerchant, HOUR, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import { makeStuck } from './store-fixtures.ts'

export const queueStatsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('nextDueAt', () => {
    it('is null at first, and then the earliest due time of all pending jobs, of every kind', async () => {
      expect(await unwrap(shop.store.nextDueAt())).toBe(null)
      const orderRef = await shop.place()
      expect(await unwrap(shop.store.nextDueAt())).toBe(NOON + 24 * HOUR)
      await shop.submit(orderRef)
      expect(await unwrap(shop.store.nextDueAt())).toBe(NOON)
      const [action, sms] = await shop.claim()
      expect(await unwrap(shop.store.nextDueAt())).toBe(NOON + 24 * HOUR)
      for (const job of [action, sms])
        if (job !== undefined)
          await shop.completeClaim(job, null, { type: 'retry', dueAt: NOON + HOUR })
      expect(await unwrap(shop.store.nextDueAt())).toBe(NOON + HOUR)
    })

    it('is that of the first job that is due later than an instant, if one is given', async () => {
      const orderRef = await shop.place()
      shop.advance(SECOND)
      await shop.submit(orderRef)
      expect(await unwrap(shop.store.nextDueAt(NOON))).toBe(NOON + SECOND)
      expect(await unwrap(shop.store.nextDueAt(NOON + SECOND))).toBe(NOON + 24 * HOUR)
      expect(await unwrap(shop.store.nextDueAt(NOON + 24 * HOUR))).toBe(null)
    })
  })

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
