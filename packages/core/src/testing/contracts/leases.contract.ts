// Store contract: a claim lasts until its lease expires or until it is released.
import type { Runner } from './runner.ts'
import { MINUTE, NOON, type StoreShop, unwrap } from './shop.ts'
import {
  approvalOf,
  type OpenedStore,
  readEverything,
  screeningInFlight,
} from './store-fixtures.ts'

export const leasesContract = (
  { describe, it, expect }: Runner,
  shop: StoreShop,
  opened: () => OpenedStore,
) => {
  describe('a lease', () => {
    it('passes to another worker at its end, and not earlier', async () => {
      const { advanceRealTime } = opened()
      await shop.placeAndSubmit()
      const [first] = await shop.claimWork({ lease: 60_000 })
      await advanceRealTime(59_999)
      expect(await shop.claimWork()).toEqual([])
      await advanceRealTime(1)
      const [second] = await shop.claimWork({ at: NOON + MINUTE })
      expect(second).toEqual({
        ...first,
        attempt: 2,
        startedAt: NOON + MINUTE,
        token: expect.any(String),
      })
      expect(second?.token).not.toBe(first?.token)
    })

    it('that has passed to another worker lets nothing be completed with its token, not even a step', async () => {
      const orderRef = await shop.place()
      const late = await screeningInFlight(shop, orderRef, { lease: 0 })
      const current = await shop.claimOne(orderRef, 'screening')
      const before = await readEverything(shop, orderRef)
      expect(await shop.completeClaim(late, approvalOf(late))).toBe('lost')
      expect(await readEverything(shop, orderRef)).toEqual(before)
      expect(await shop.completeClaim(current, approvalOf(current))).toBe('delivered')
      expect((await shop.read(orderRef)).state.checkout).toBe('screened')
    })

    it('that has ended still allows completion until another worker claims the job', async () => {
      const orderRef = await shop.place()
      const job = await screeningInFlight(shop, orderRef, { lease: 0 })
      expect(await shop.completeClaim(job, approvalOf(job))).toBe('delivered')
    })

    it('counts attempts, and keeps the time of the first one', async () => {
      await shop.placeAndSubmit()
      const attempts: (readonly [number, number, number])[] = []
      for (const at of [NOON + 1, NOON + 20, NOON + 300]) {
        const [sms] = await shop.claimWork({ at, lease: 0 })
        if (sms !== undefined) attempts.push([sms.attempt, sms.firstAt, sms.startedAt])
      }
      expect(attempts).toEqual([
        [1, NOON + 1, NOON + 1],
        [2, NOON + 1, NOON + 20],
        [3, NOON + 1, NOON + 300],
      ])
    })
  })

  describe('release', () => {
    it('makes jobs available to the next claim', async () => {
      await shop.placeAndSubmit()
      const sms = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([sms], 'started'))
      expect(await shop.completeClaim(sms, null)).toBe('lost')
      const [repeated] = await shop.claimWork()
      expect(repeated?.key).toBe(sms.key)
      expect(repeated?.token).not.toBe(sms.token)
    })

    it('counts an attempt only if the job was started', async () => {
      await shop.placeAndSubmit()
      const attempts: number[] = []
      for (const as of ['started', 'not_started', 'not_started', 'started'] as const) {
        const sms = await shop.claimFirst({ deliveries: 0 })
        attempts.push(sms.attempt)
        await unwrap(shop.store.release([sms], as))
      }
      expect(attempts).toEqual([1, 2, 2, 2])
    })

    it('does not affect a job that another worker has claimed since', async () => {
      await shop.placeAndSubmit()
      const first = await shop.claimFirst({ deliveries: 0, lease: 0 })
      const second = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([first], 'started'))
      expect(await shop.completeClaim(second, null)).toBe('delivered')
    })
  })
}
