// Contract of a store that knows which merchants are good: merchants that hang or fail hold up nobody
// else, not even other merchants of their account. Contract §6, Fairness.
import type { Job, Report } from '@plazo/core/ports'
import type { Runner } from './runner.ts'
import { aMerchant, finishedAs, lanesOf, MINUTE, SECOND, type StoreShop, unwrap } from './shop.ts'
import { attemptReport, confirmByIpn, retryAt } from './store-fixtures.ts'

export const fairnessContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const chain = (ref: string) => aMerchant(ref, { username: 'chain' })

  /** Completes all events of the merchant, so that it is good for events. */
  const makeGood = async (merchant = aMerchant()): Promise<void> => {
    const orderRef = await shop.placeAndSubmit(merchant)
    const event = await shop.claimOne(orderRef, 'action')
    await shop.completeClaim(event, null, finishedAs(), attemptReport(200))
  }
  /** Completes all deliveries of the merchant, so that it is good for both kinds. */
  const makeGoodForAll = async (merchant = aMerchant()): Promise<void> => {
    await confirmByIpn(shop, await shop.place(merchant))
    for (let jobs = await shop.claim(); jobs.length > 0; jobs = await shop.claim())
      for (const job of jobs) await shop.completeClaim(job, null, finishedAs(), attemptReport(200))
  }
  const addEvents = async (count: number, merchant = aMerchant()): Promise<void> => {
    for (let n = 0; n < count; n++) await shop.placeAndSubmit(merchant)
  }
  const refsOf = (jobs: readonly Job[]): readonly string[] =>
    jobs.map(({ merchantRef }) => merchantRef).sort()
  const claim = async (options: Parameters<StoreShop['claim']>[0] = {}) =>
    shop.claimDeliveries({ perAccount: 2, ...options })

  describe('a claim', () => {
    it('takes at most as many events of a good merchant as its account may have, and as many IPNs', async () => {
      await makeGoodForAll()
      for (let count = 0; count < 3; count++) await shop.placeConfirming()
      const jobs = await claim()
      expect(lanesOf(jobs)).toEqual(['action', 'action', 'ipn', 'ipn'])
      expect(await claim()).toEqual([])
      const [done] = jobs.filter(({ lane }) => lane === 'ipn')
      if (done !== undefined) await shop.completeClaim(done, null, finishedAs(), attemptReport(200))
      expect(lanesOf(await claim())).toEqual(['ipn'])
    })

    it('counts all good merchants of an account together', async () => {
      const shops = ['north', 'south', 'west'].map(chain)
      for (const merchant of [...shops, aMerchant('corner')]) await makeGood(merchant)
      for (const merchant of [...shops, aMerchant('corner')]) await addEvents(1, merchant)
      const jobs = await claim()
      expect(refsOf(jobs)).toEqual(['corner', 'north', 'south'])
      expect(await claim()).toEqual([])
      const [north] = jobs.filter(({ merchantRef }) => merchantRef === 'north')
      if (north !== undefined)
        await shop.completeClaim(north, null, finishedAs(), attemptReport(200))
      expect(refsOf(await claim())).toEqual(['west'])
    })

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

    it('does not count merchants that are not good with the good ones of their account', async () => {
      for (const ref of ['north', 'south', 'west']) await makeGood(chain(ref))
      await addEvents(1, chain('east'))
      for (const ref of ['north', 'south']) await addEvents(1, chain(ref))
      const slow = [{ merchantRef: 'north', kind: 'event' as const }]
      expect(refsOf(await claim())).toEqual(['east', 'north', 'south'])
      await addEvents(1, chain('west'))
      expect(await claim()).toEqual([])
      expect(refsOf(await claim({ slow }))).toEqual(['west'])
    })

    it('judges events and IPNs separately', async () => {
      await makeGood()
      for (let count = 0; count < 3; count++) await shop.placeConfirming()
      expect(lanesOf(await claim())).toEqual(['action', 'action', 'ipn'])
    })

    it('takes no more of merchants that are not good than there are places for them', async () => {
      await makeGood(aMerchant('good'))
      for (const ref of ['new', 'newer', 'newest', 'good']) {
        await addEvents(1, aMerchant(ref))
        shop.advance(SECOND)
      }
      expect(refsOf(await claim({ notGood: 1 }))).toEqual(['good', 'new'])
      await addEvents(1, aMerchant('good'))
      expect(refsOf(await claim({ notGood: 0 }))).toEqual(['good'])
      expect(refsOf(await claim({ notGood: 9, deliveries: 1 }))).toEqual(['newer'])
    })

    it('finds every good merchant between others, if it has no places for these', async () => {
      const good = ['Ada', 'b-2', 'b2', 'zoo', 'Ä', '商店'].map((ref) => aMerchant(ref))
      for (const merchant of good) await makeGood(merchant)
      for (const ref of ['B', 'b', 'b-1', 'b-3', 'c', 'zz', 'ö']) await addEvents(2, aMerchant(ref))
      expect(await claim({ notGood: 0 })).toEqual([])
      const refs = good.map(({ ref }) => ref)
      for (const merchant of good.toReversed()) await addEvents(1, merchant)
      expect(refsOf(await claim({ notGood: 0 }))).toEqual(refs.sort())
    })

    it('looks beyond any number of merchants that are not good', async () => {
      for (let n = 0; n < 80; n++) await addEvents(1, aMerchant(`new-${n}`))
      await makeGood(aMerchant('good'))
      shop.advance(SECOND)
      await addEvents(1, aMerchant('good'))
      expect(refsOf(await claim({ notGood: 1, deliveries: 2 }))).toEqual(['good', 'new-0'])
    })

    it('takes the first of every account, good or not, before the second of any', async () => {
      for (const ref of ['north', 'south']) await makeGood(chain(ref))
      for (const ref of ['north', 'south']) await addEvents(1, chain(ref))
      shop.advance(SECOND)
      await addEvents(1, chain('new'))
      await addEvents(1, aMerchant('corner'))
      expect(refsOf(await claim({ deliveries: 3 }))).toEqual(['corner', 'new', 'north'])
    })

    it('takes everything if nothing limits accounts', async () => {
      await addEvents(5)
      expect(await claim({ perAccount: null })).toHaveLength(5)
    })
  })
}
