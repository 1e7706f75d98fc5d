// The contract of a store's endpoints: what attempts tell of a shop is counted with them.
import type { EndpointFilter, Job, Report } from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import {
  aMerchant,
  finishedAs,
  HOUR,
  MINUTE,
  NOON,
  SECOND,
  type StoreShop,
  unwrap,
} from './shop.ts'
import { attemptReport, findDelivery, retryAt } from './store-fixtures.ts'

const IPN = 'http://shop.test/ipn'

const request = {
  url: IPN,
  sent: { timestamp: '1767614400', signatures: { 'Webhook-Signature': 'v1,ñ=' } },
}

const reportOf = (status: number, overrides: Partial<Report> = {}): Report =>
  attemptReport(status, { request, ...overrides })

const LIST_ALL: EndpointFilter = { merchantRef: null, isFailing: false, limit: 100 }

export const endpointsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const list = (filter: Partial<EndpointFilter> = {}) =>
    unwrap(shop.store.endpoints.list({ ...LIST_ALL, ...filter }))
  const ipnInFlight = async (merchantRef = 'demo'): Promise<Job> => {
    const orderRef = await shop.place(aMerchant(merchantRef))
    await shop.leadToConfirmation(orderRef)
    return shop.claimOne(orderRef, 'ipn')
  }
  const fail = (ipn: Job, report = reportOf(500), dueAt = shop.now() + MINUTE) =>
    shop.completeClaim(ipn, { type: 'ipn.erred', inReplyTo: ipn.key }, retryAt(dueAt), report)
  const accept = (ipn: Job, report = reportOf(200)) =>
    shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key }, finishedAs(), report)

  const untold = {
    merchantRef: 'demo',
    kind: 'ipn',
    lastGoodAt: null,
    failingSince: null,
    failures: 0,
  }

  describe('an endpoint', () => {
    it('is failing since the first attempt that failed after the last good one', async () => {
      expect(await list()).toEqual([])
      const ipn = await ipnInFlight()
      await fail(ipn)
      expect(await list()).toEqual([{ ...untold, failingSince: NOON, failures: 1 }])
      shop.advance(MINUTE)
      await fail(await shop.claimOne(ipn.orderRef, 'ipn'))
      expect(await list()).toEqual([{ ...untold, failingSince: NOON, failures: 2 }])
      shop.advance(MINUTE)
      await accept(await shop.claimOne(ipn.orderRef, 'ipn'))
      expect(await list()).toEqual([{ ...untold, lastGoodAt: NOON + 2 * MINUTE }])
      shop.advance(HOUR)
      await fail(await ipnInFlight())
      expect(await list()).toEqual([
        {
          ...untold,
          lastGoodAt: NOON + 2 * MINUTE,
          failingSince: NOON + HOUR + 2 * MINUTE,
          failures: 1,
        },
      ])
    })

    it('is judged for each merchant and kind, and the longest failing is listed first', async () => {
      await fail(await ipnInFlight('later'))
      shop.advance(SECOND)
      await accept(await ipnInFlight('well'))
      await fail(await ipnInFlight('alpha'))
      expect((await list()).map(({ merchantRef }) => merchantRef)).toEqual([
        'alpha',
        'later',
        'well',
      ])
      const failing = await list({ isFailing: true })
      expect(failing.map(({ merchantRef }) => merchantRef)).toEqual(['later', 'alpha'])
      expect(await list({ isFailing: true, limit: 1 })).toHaveLength(1)
      expect(await list({ merchantRef: 'well' })).toHaveLength(1)
      expect(await list({ merchantRef: 'well', isFailing: true })).toEqual([])
    })

    it('is not judged by an attempt that did not call it, or whose result nobody knows', async () => {
      const ipn = await ipnInFlight()
      await fail(ipn, reportOf(500, { status: null, error: 'no_socket' }))
      shop.advance(MINUTE)
      const lost = await shop.claimOne(ipn.orderRef, 'ipn')
      await unwrap(shop.store.release([lost], 'started'))
      expect(await list()).toEqual([])
    })

    it('gets one attempt at a time until it has accepted one, and again after a bad one', async () => {
      for (let n = 0; n < 5; n++) await shop.placeAndSubmit()
      const claim = () => shop.claimDeliveries({ perAccount: 2 })
      const end = async (jobs: readonly Job[], report: Report) => {
        for (const job of jobs) await shop.completeClaim(job, null, retryAt(NOON + HOUR), report)
        return jobs.map(({ isGood }) => isGood)
      }
      expect(await end(await claim(), reportOf(200))).toEqual([false])
      expect(await end(await claim(), reportOf(500))).toEqual([true, true])
      const [last, ...others] = await claim()
      expect([last?.isGood, others]).toEqual([false, []])
      expect(await claim()).toEqual([])
    })

    it('shows how many of its deliveries wait', async () => {
      const countWaiting = () => unwrap(shop.store.endpoints.waiting('demo', 'ipn'))
      const ipn = await ipnInFlight()
      expect(await countWaiting()).toBe(0)
      await fail(ipn)
      expect(await countWaiting()).toBe(1)
    })
  })

  it('an attempt shows what was sent', async () => {
    const ipn = await ipnInFlight()
    await accept(ipn)
    expect((await findDelivery(shop, ipn.key)).attempts).toMatchObject([{ request }])
  })
}
