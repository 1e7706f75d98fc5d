// Store contract: all deliveries tried since a given instant that have not arrived are sent again.
import { recoverDeliveries } from '@plazo/core'
import type { Runner } from './runner.ts'
import { HOUR, MINUTE, NOON, type StoreShop, unwrap } from './shop.ts'
import {
  actionInFlight,
  attemptReport,
  findDelivery,
  finishedAction,
  makeStuck,
  retryAt,
} from './store-fixtures.ts'

export const recoveryContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const recover = (since: number): Promise<number> =>
    unwrap(recoverDeliveries(shop.host)({ merchantRef: 'demo', since, limit: 100 }))

  describe('recover', () => {
    it('resends pending and exhausted deliveries, and none that was accepted or stopped or is stuck', async () => {
      const exhausted = await finishedAction(shop, 'exhausted')
      for (const ending of ['delivered', 'stopped', 'unsupported'] as const)
        await finishedAction(shop, ending)
      const stuck = await actionInFlight(shop)
      await makeStuck(shop, stuck, attemptReport(200))
      const pending = await actionInFlight(shop)
      await shop.completeClaim(pending, null, retryAt(NOON + HOUR), attemptReport(500))
      shop.advance(MINUTE)
      expect(await recover(NOON)).toBe(2)
      const jobs = await shop.claimDeliveries()
      expect(jobs.map(({ key }) => key).sort()).toEqual([exhausted, pending.key].sort())
      for (const job of jobs) await shop.completeClaim(job, null)
      for (const id of [exhausted, pending.key])
        expect((await findDelivery(shop, id)).attempts.map(({ trigger }) => trigger)).toEqual([
          'schedule',
          'recover',
        ])
    })

    it('selects deliveries by their last attempt, or else by their creation', async () => {
      await finishedAction(shop, 'exhausted')
      shop.advance(HOUR)
      const late = await finishedAction(shop, 'exhausted')
      const unsent = await shop.placeAndSubmit()
      expect(await recover(NOON + HOUR + 1)).toBe(0)
      expect(await recover(NOON + 1)).toBe(2)
      const recovered = (await shop.claimDeliveries()).map(({ key }) => key)
      expect(recovered.sort()).toEqual([late, `${unsent}:2:action`].sort())
    })

    it('continues page by page to the end, and reports its progress', async () => {
      for (let count = 0; count < 5; count++)
        await finishedAction(shop, count === 2 ? 'stopped' : 'exhausted')
      const reported: number[] = []
      const recovered = recoverDeliveries(shop.host)({
        merchantRef: 'demo',
        since: NOON,
        limit: 2,
        onProgress: async (count) => void reported.push(count),
      })
      expect(await unwrap(recovered)).toBe(4)
      expect(reported).toEqual([2, 3, 4])
      expect(await shop.claimDeliveries()).toHaveLength(4)
    })
  })
}
