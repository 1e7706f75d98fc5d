// Store contract: due jobs are claimed once, in the order of their lane, and a job that is given back is
// available to the next claim. Workers sleep until the next due time.
import type { OrderEvent } from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import { CODE, HOUR, lanesOf, MINUTE, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import { ipnInFlight, retryAt } from './store-fixtures.ts'

export const claimsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('claim', () => {
    it('takes a job when it is due, and not earlier', async () => {
      await shop.placeAndSubmit()
      expect(await shop.claim({ at: NOON - 1 })).toEqual([])
      expect(lanesOf(await shop.claim({ at: NOON }))).toEqual(['action', 'sms'])
      expect(lanesOf(await shop.claim({ at: NOON + 24 * HOUR - 1 }))).toEqual([])
      expect(lanesOf(await shop.claim({ at: NOON + 24 * HOUR }))).toEqual([
        'timer.checkoutLifetime',
      ])
    })

    it('returns a job with everything needed to run it', async () => {
      const orderRef = await shop.placeAndSubmit()
      const [sms] = await shop.claimWork({ at: NOON + 3 })
      expect(sms).toEqual({
        key: `${orderRef}:2:sms`,
        orderRef,
        merchantRef: 'demo',
        lane: 'sms',
        payload: { kind: 'sms', to: '+34600123456', text: `Your code is ${CODE}.`, code: CODE },
        expiresAt: NOON + 5 * MINUTE,
        attempt: 1,
        isResend: false,
        firstAt: NOON + 3,
        startedAt: NOON + 3,
        token: expect.any(String),
      })
    })

    it('takes no job twice', async () => {
      await shop.placeAndSubmit()
      await shop.placeAndSubmit()
      const [first, second] = await Promise.all([
        shop.claim({ internal: 1, deliveries: 1 }),
        shop.claim(),
      ])
      expect(lanesOf(first)).toEqual(['action', 'sms'])
      expect(lanesOf(second)).toEqual(['action', 'sms'])
      expect(new Set([...first, ...second].map(({ key }) => key)).size).toBe(4)
      expect(new Set([...first, ...second].map(({ token }) => token)).size).toBe(4)
      expect(await shop.claim()).toEqual([])
    })

    it('is first in, first out for one order and lane', async () => {
      const orderRef = await shop.placeAndSubmit()
      await shop.enterCode(orderRef)
      const first = await shop.claimOne(orderRef, 'action')
      expect(first.key).toBe(`${orderRef}:2:action`)
      expect(lanesOf(await shop.claimDeliveries())).toEqual([])
      await shop.completeClaim(first, null)
      expect((await shop.claimOne(orderRef, 'action')).key).toBe(`${orderRef}:3:action`)
    })

    it('takes as many jobs as there is capacity for, and counts deliveries and other jobs separately', async () => {
      for (let count = 0; count < 3; count++) await shop.placeAndSubmit()
      expect(lanesOf(await shop.claimWork({ internal: 2 }))).toEqual(['sms', 'sms'])
      expect(lanesOf(await shop.claimDeliveries({ deliveries: 1 }))).toEqual(['action'])
      expect(await shop.claimDeliveries({ deliveries: 0 })).toEqual([])
      expect(lanesOf(await shop.claim())).toEqual(['action', 'action', 'sms'])
    })

    it('does not take a job that excludes a lane while an attempt in that lane is in flight', async () => {
      const atItsEnd = { at: NOON + 24 * HOUR }
      const ipn = await ipnInFlight(shop)
      expect(lanesOf(await shop.claimWork(atItsEnd))).toEqual([])
      const erred: OrderEvent = { type: 'ipn.erred', inReplyTo: ipn.key }
      await shop.completeClaim(ipn, erred, retryAt(NOON + 25 * HOUR))
      expect(lanesOf(await shop.claimWork(atItsEnd))).toEqual(['timer.checkoutLifetime'])
    })

    it('takes the next job of a lane once the revoked one in flight has ended', async () => {
      const orderRef = await shop.placeAndSubmit()
      const first = await shop.claimOne(orderRef, 'sms')
      shop.advance(31 * SECOND)
      await shop.submit(orderRef)
      expect(await shop.claimWork()).toEqual([])
      await shop.completeClaim(first, null, retryAt(NOON))
      expect((await shop.claimOne(orderRef, 'sms')).key).toBe(`${orderRef}:3:sms`)
    })
  })

  describe('release', () => {
    it('gives a job to the next claim, and its result counts no more', async () => {
      await shop.placeAndSubmit()
      const sms = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([sms], 'started'))
      expect(await shop.completeClaim(sms, null)).toBe('lost')
      expect(await shop.claimFirst({ deliveries: 0 })).toMatchObject({ key: sms.key, attempt: 2 })
    })

    it('counts an attempt only if the job was started, and keeps the time of the first one', async () => {
      await shop.placeAndSubmit()
      const attempts: (readonly [number, number])[] = []
      for (const as of ['started', 'not_started', 'started'] as const) {
        const sms = await shop.claimFirst({ deliveries: 0 })
        attempts.push([sms.attempt, sms.firstAt])
        await unwrap(shop.store.release([sms], as))
        shop.advance(SECOND)
      }
      expect(attempts).toEqual([
        [1, NOON],
        [2, NOON],
        [2, NOON],
      ])
    })
  })

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
}
