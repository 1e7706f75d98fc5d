// Contract of the capability `inspection`: what pages show of an order beyond its state.
import type { MerchantRequest } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { NOON, type StoreShop, unwrap } from './shop.ts'
import { finishedAction, retryAt } from './store-fixtures.ts'

export const inspectionContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('inspection', () => {
    it('does not find an order that was never placed', async () => {
      const { inspection } = shop.store
      expect(await inspection.pendingJobs('nobody')()).toEqual(E.left({ _tag: 'OrderNotFound' }))
      expect(await inspection.payload('nobody')()).toEqual(E.left({ _tag: 'OrderNotFound' }))
      expect(await inspection.requests('nobody')()).toEqual(E.left({ _tag: 'OrderNotFound' }))
    })

    it('returns the body that the merchant placed, unchanged', async () => {
      const { order, ...rest } = shop.preparePlacing()
      await unwrap(shop.store.place({ ...rest, order }, '{"order": {"cart": "Lámpara \\u0000"}}'))
      expect(await unwrap(shop.store.inspection.payload(order.placed.orderRef))).toBe(
        '{"order": {"cart": "Lámpara \\u0000"}}',
      )
    })

    it('returns what each delivery of an order sends', async () => {
      const orderRef = await shop.place()
      await shop.leadToConfirmation(orderRef)
      const { payload, key } = await shop.claimOne(orderRef, 'ipn')
      const { url, contentType, body } = payload as MerchantRequest
      const requests = await unwrap(shop.store.inspection.requests(orderRef))
      expect(requests.get(key)).toMatchObject({ url, contentType, body })
      expect([...requests.keys()].every((id) => id.startsWith(orderRef))).toBe(true)
      expect(requests.size).toBeGreaterThan(1)
    })

    it('lists the unfinished jobs of an order, the next one first, with when each is due and useless', async () => {
      const orderRef = await shop.placeAndSubmit()
      await shop.place()
      await shop.completeClaim(await shop.claimOne(orderRef, 'action'), null)
      const sms = await shop.claimOne(orderRef, 'sms')
      await shop.completeClaim(sms, null, retryAt(NOON + 10_000))
      expect(await unwrap(shop.store.inspection.pendingJobs(orderRef))).toMatchObject([
        {
          ...{ key: sms.key, lane: 'sms', attempts: 1, firstAt: NOON, state: 'pending' },
          ...{ dueAt: NOON + 10_000, expiresAt: NOON + 300_000 },
        },
        { lane: 'timer.checkoutLifetime', attempts: 0, firstAt: null, expiresAt: null },
      ])
    })

    it('lists a delivery that is sent again by hand as a resend, under its id', async () => {
      const id = await finishedAction(shop)
      const [orderRef = ''] = id.split(':')
      const { deliveries, inspection } = shop.store
      const resends = async () =>
        (await unwrap(inspection.pendingJobs(orderRef))).filter(({ isResend }) => isResend)
      expect(await resends()).toEqual([])
      await unwrap(deliveries.resend('demo', id, shop.now()))
      expect(await resends()).toMatchObject([{ key: id, lane: 'action', state: 'pending' }])
    })
  })
}
