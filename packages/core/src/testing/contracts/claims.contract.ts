// Store contract: due effects are claimed once, in order, and accounts take turns.
import type { Runner } from './runner.ts'
import { aMerchant, CODE, HOUR, lanesOf, MINUTE, NOON, SECOND, type StoreShop } from './shop.ts'

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

    it('takes a job when it is due, however often others were looked for before', async () => {
      const sms = await shop.claimOne(await shop.placeAndSubmit(), 'sms')
      const dueAt = NOON + 5 * SECOND
      await shop.completeClaim(sms, null, { type: 'retry', dueAt })
      for (let at = NOON; at < dueAt; at += SECOND / 4)
        expect(lanesOf(await shop.claimWork({ at }))).toEqual([])
      expect(lanesOf(await shop.claimWork({ at: dueAt }))).toEqual(['sms'])
    })

    it('returns a job with everything needed to run it', async () => {
      const orderRef = await shop.placeAndSubmit()
      const [sms] = await shop.claimWork({ at: NOON + 3 })
      expect(sms).toEqual({
        key: `${orderRef}:2:sms`,
        orderRef,
        merchantRef: 'demo',
        lane: 'sms',
        payload: { kind: 'sms', to: '600123456', text: `Your code is ${CODE}.`, code: CODE },
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

    it('takes one of every account before two of any', async () => {
      for (const ref of ['north', 'south', 'west'])
        await shop.placeAndSubmit(aMerchant(ref, { username: 'chain' }))
      shop.advance(SECOND)
      await shop.placeAndSubmit(aMerchant('corner'))
      const jobs = await shop.claimDeliveries({ deliveries: 2 })
      expect(jobs.map(({ merchantRef }) => merchantRef).sort()).toEqual(['corner', 'north'])
    })
  })
}
