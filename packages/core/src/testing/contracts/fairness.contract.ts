// Contract of a store that knows which merchants are good: merchants that hang or fail hold up nobody
// else, not even other merchants of their account. Contract §6, Fairness.
import type { Report } from '@plazo/core/ports'
import type { Runner } from './runner.ts'
import { finishedAs, lanesOf, MINUTE, type StoreShop, unwrap } from './shop.ts'
import { attemptReport, retryAt } from './store-fixtures.ts'

export const fairnessContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  /** Completes all events of the merchant, so that it is good for events. */
  const makeGood = async (): Promise<void> => {
    const orderRef = await shop.placeAndSubmit()
    const event = await shop.claimOne(orderRef, 'action')
    await shop.completeClaim(event, null, finishedAs(), attemptReport(200))
  }
  const addEvents = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await shop.placeAndSubmit()
  }
  const claim = async (options: Parameters<StoreShop['claim']>[0] = {}) =>
    shop.claimDeliveries({ perAccount: 2, ...options })

  describe('a claim', () => {
    it('takes one event and one IPN of a merchant that was never called', async () => {
      for (let count = 0; count < 3; count++) await shop.placeConfirming()
      const jobs = await claim()
      expect(lanesOf(jobs)).toEqual(['action', 'ipn'])
      expect(jobs.map(({ isGood }) => isGood)).toEqual([false, false])
      expect(await claim()).toEqual([])
    })

    it('takes of a merchant whatever its account has room for, once it has accepted an attempt', async () => {
      await addEvents(5)
      const [first] = await claim()
      expect(await claim()).toEqual([])
      if (first !== undefined)
        await shop.completeClaim(first, null, finishedAs(), attemptReport(200))
      const jobs = await claim()
      expect(jobs.map(({ isGood }) => isGood)).toEqual([true, true])
    })

    const bad: readonly (readonly [string, Report])[] = [
      ['failed', attemptReport(500)],
      ['was slow', attemptReport(200, { durationMillis: 3_001 })],
      ['had no answer', { ...attemptReport(0), status: null, error: 'timeout' }],
    ]
    for (const [what, report] of bad)
      it(`takes one at a time after an attempt that ${what}`, async () => {
        await makeGood()
        await addEvents(4)
        for (const job of await claim())
          await shop.completeClaim(job, null, retryAt(shop.now() + MINUTE), report)
        expect(await claim()).toHaveLength(1)
        expect(await claim()).toEqual([])
      })

    it('takes one at a time once an attempt has waited too long, even if its end says nothing of the merchant', async () => {
      await makeGood()
      await addEvents(4)
      const slow = [{ merchantRef: 'demo', kind: 'event' as const }]
      const [first] = await claim({ deliveries: 1 })
      expect(await claim({ slow })).toEqual([])
      if (first !== undefined) await unwrap(shop.store.release([first], 'started'))
      expect(await claim()).toHaveLength(1)
      expect(await claim()).toEqual([])
    })

    it('judges events and IPNs separately', async () => {
      await makeGood()
      for (let count = 0; count < 3; count++) await shop.placeConfirming()
      expect(lanesOf(await claim())).toEqual(['action', 'action', 'ipn'])
    })
  })
}
