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

    it('takes the oldest first', async () => {
      const refs: string[] = []
      for (let count = 0; count < 3; count++) {
        refs.push(await shop.place())
        shop.advance(SECOND)
      }
      for (const orderRef of refs.toReversed()) {
        await shop.submit(orderRef)
        shop.advance(SECOND)
      }
      const jobs = [
        await shop.claim({ internal: 1 }),
        await shop.claim({ internal: 1 }),
        await shop.claim({ internal: 1 }),
      ]
      expect(jobs.flat().flatMap(({ lane, orderRef }) => (lane === 'sms' ? orderRef : []))).toEqual(
        refs.toReversed(),
      )
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

    it('delays a lane only for its own first job', async () => {
      const [orderRef, other] = [await shop.place(), await shop.place()]
      await shop.leadToConfirmation(orderRef)
      await shop.submit(other)
      const action = await shop.claimOne(orderRef, 'action')
      expect(action.orderRef).toBe(orderRef)
      const rest = await shop.claimDeliveries()
      expect(rest.map(({ orderRef: ref, lane }) => [ref === orderRef, lane])).toEqual(
        expect.arrayContaining([
          [true, 'ipn'],
          [false, 'action'],
        ]),
      )
      expect(rest).toHaveLength(2)
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

    it('does not count other jobs against the merchant', async () => {
      for (let count = 0; count < 6; count++) await shop.placeAndSubmit()
      expect(await shop.claimWork({ perAccount: 1 })).toHaveLength(6)
    })

    it('counts the jobs in flight before it takes more of the same merchant', async () => {
      for (let count = 0; count < 3; count++) await shop.placeAndSubmit(aMerchant('busy'))
      await shop.claimDeliveries({ deliveries: 1 })
      shop.advance(SECOND)
      await shop.placeAndSubmit(aMerchant('calm'))
      expect(
        (await shop.claimDeliveries({ deliveries: 1 })).map(({ merchantRef }) => merchantRef),
      ).toEqual(['calm'])
    })

    it('gives unused capacity to the merchants that have more jobs, in turns', async () => {
      for (const ref of ['few', 'many', 'more']) await shop.placeAndSubmit(aMerchant(ref))
      for (let count = 0; count < 4; count++)
        for (const ref of ['many', 'more']) await shop.placeAndSubmit(aMerchant(ref))
      const claim = async (deliveries: number) => {
        const jobs = await shop.claimDeliveries({ deliveries })
        return jobs.map(({ merchantRef }) => merchantRef).sort()
      }
      expect(await claim(2)).toEqual(['few', 'many'])
      expect(await claim(4)).toEqual(['many', 'many', 'more', 'more'])
      expect(await claim(9)).toEqual(['many', 'many', 'more', 'more', 'more'])
    })

    it('prefers no merchant because of its name', async () => {
      await shop.placeAndSubmit(aMerchant('zoo'))
      shop.advance(SECOND)
      await shop.placeAndSubmit(aMerchant('aardvark'))
      expect(
        (await shop.claimDeliveries({ deliveries: 1 })).map(({ merchantRef }) => merchantRef),
      ).toEqual(['zoo'])
    })
  })
}
