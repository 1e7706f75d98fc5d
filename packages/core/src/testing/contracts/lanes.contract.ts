// Store contract: the lanes of an order wait for each other, and can be revoked and expedited.
import type { Runner } from './runner.ts'
import { anotherPerson, HOUR, lanesOf, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import { approvalOf, ipnInFlight, retryAt, screeningInFlight } from './store-fixtures.ts'

export const lanesContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('a job that excludes a lane', () => {
    const lifetime = 'timer.checkoutLifetime'
    const atItsEnd = { at: NOON + 24 * HOUR }

    it('waits while an attempt in that lane is in flight, and runs afterwards', async () => {
      const ipn = await ipnInFlight(shop)
      expect(lanesOf(await shop.claimWork({ ...atItsEnd }))).toEqual([])
      await shop.completeClaim(
        ipn,
        { type: 'ipn.erred', inReplyTo: ipn.key },
        retryAt(NOON + 25 * HOUR),
      )
      expect(lanesOf(await shop.claimWork({ ...atItsEnd }))).toEqual([lifetime])
    })
  })

  describe('revoke', () => {
    it('stops the pending jobs of the lane', async () => {
      const orderRef = await shop.placeAndSubmit()
      await shop.enterCode(orderRef)
      expect(lanesOf(await shop.claimWork({ at: NOON + HOUR }))).toEqual([
        'cards',
        'screening',
        'timer.screeningWindow',
      ])
    })

    it('records the reply in the order’s journal without changing the order', async () => {
      const orderRef = await shop.place()
      const screening = await screeningInFlight(shop, orderRef)
      await shop.submit(orderRef, anotherPerson)
      const before = await shop.read(orderRef)
      expect(await shop.completeClaim(screening, approvalOf(screening))).toBe('stopped')
      const after = await shop.read(orderRef)
      expect(after.state).toEqual(before.state)
      expect((await shop.journal(orderRef)).at(-1)).toMatchObject({
        event: 'screening.resolved',
        detail: 'not expected any more: changes nothing',
      })
    })

    it('does not repeat the job when it is released', async () => {
      const orderRef = await shop.placeAndSubmit()
      const sms = await shop.claimOne(orderRef, 'sms')
      await shop.enterCode(orderRef)
      await unwrap(shop.store.release([sms], 'started'))
      expect(lanesOf(await shop.claimWork({ at: NOON + HOUR }))).not.toContain('sms')
    })

    it('lets a later job of the lane run once the job in flight has finished', async () => {
      const orderRef = await shop.placeAndSubmit()
      const first = await shop.claimOne(orderRef, 'sms')
      shop.advance(31 * SECOND)
      await shop.submit(orderRef)
      expect(await shop.claimWork()).toEqual([])
      await shop.completeClaim(first, null, retryAt(NOON))
      expect((await shop.claimOne(orderRef, 'sms')).key).toBe(`${orderRef}:3:sms`)
    })
  })

  describe('expedite', () => {
    it('makes the pending jobs of the lane due at once', async () => {
      const ipn = await ipnInFlight(shop)
      await shop.completeClaim(ipn, { type: 'ipn.erred', inReplyTo: ipn.key }, retryAt(NOON + HOUR))
      shop.advance(SECOND)
      expect(lanesOf(await shop.claimDeliveries({ deliveries: 1 }))).toEqual(['action'])
      await shop.putConfirmed(ipn.orderRef)
      expect((await shop.claimOne(ipn.orderRef, 'ipn')).key).toBe(ipn.key)
    })
  })
}
