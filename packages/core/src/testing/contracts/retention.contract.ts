// Store contract: old finished data is deleted, and nothing else.
import { deliveriesOf, deliveryIds, droppedBy, journalsOf, LATER } from './retention-fixtures.ts'
import type { Runner } from './runner.ts'
import { aMerchant, finishedAs, HOUR, NOON, type StoreShop } from './shop.ts'
import { confirmByIpn, finishedAction } from './store-fixtures.ts'

export const retentionContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('a finished delivery', () => {
    it('is deleted with its attempts once it is old enough, for every merchant and final status, and is not found then', async () => {
      for (const as of ['delivered', 'exhausted', 'stopped', 'unsupported'] as const)
        await finishedAction(shop, as)
      await finishedAction(shop, 'delivered', aMerchant('other'))
      const [id = ''] = await deliveryIds(shop)
      expect(await droppedBy(deliveriesOf(shop), NOON)).toBe(0)
      expect(await deliveryIds(shop)).toHaveLength(4)
      expect(await droppedBy(deliveriesOf(shop), NOON + 1)).toBe(5)
      expect([await deliveryIds(shop), await deliveryIds(shop, 'other')]).toEqual([[], []])
      const notFound = { left: { _tag: 'DeliveryNotFound' } }
      expect(await shop.store.deliveries.find('demo', id)()).toMatchObject(notFound)
      expect(await shop.store.deliveries.resend('demo', id, LATER)()).toMatchObject(notFound)
      expect(await droppedBy(deliveriesOf(shop), NOON + 1)).toBe(0)
    })

    it('is deleted in small batches with a limited number of rows', async () => {
      for (let count = 0; count < 25; count++) await finishedAction(shop)
      const first = await deliveriesOf(shop)({ before: LATER, after: 0, rows: 10 })
      expect(first.count).toBeLessThanOrEqual(10)
      expect(first.next).not.toBe(null)
      expect(await deliveryIds(shop)).toHaveLength(25 - first.count)
      expect(await droppedBy(deliveriesOf(shop), LATER, 10)).toBe(25 - first.count)
    })

    it('is deleted even behind deliveries that must be kept', async () => {
      const stays = await shop.placeAndSubmit()
      for (let count = 0; count < 5; count++) await finishedAction(shop)
      expect(await droppedBy(deliveriesOf(shop), LATER, 2)).toBe(5)
      expect((await deliveryIds(shop)).map((id) => id.includes(stays))).toEqual([true])
    })
  })

  describe('the journal of an order that is over', () => {
    const placeExpired = async (): Promise<string> => {
      const orderRef = await shop.place(aMerchant('quiet', { sendActionEvents: false }))
      shop.advance(24 * HOUR)
      await shop.work()
      expect((await shop.read(orderRef)).state.checkout).toBe('expired')
      return orderRef
    }

    it('is deleted completely once its last line is old enough, while the order stays and continues', async () => {
      const orderRef = await placeExpired()
      const over = shop.now()
      const before = await shop.read(orderRef)
      expect(await droppedBy(journalsOf(shop), over)).toBe(0)
      expect((await shop.journal(orderRef)).length).toBeGreaterThan(1)
      expect(await droppedBy(journalsOf(shop), over + 1)).toBe(1)
      expect(await shop.journal(orderRef)).toEqual([])
      expect(await shop.read(orderRef)).toEqual(before)
      await shop.applyEvent(orderRef, { type: 'order.updated' })
      expect(before.revision).toBeLessThanOrEqual((await shop.read(orderRef)).revision)
      expect(await droppedBy(journalsOf(shop), over + 1)).toBe(0)
    })

    /** A confirmed order with nothing pending. */
    const placeConfirmed = async (): Promise<string> => {
      const orderRef = await shop.place(aMerchant('quiet', { sendActionEvents: false }))
      await confirmByIpn(shop, orderRef)
      await settleAll()
      return orderRef
    }

    const settleAll = async (): Promise<void> => {
      for (let jobs = await shop.claim(); jobs.length > 0; jobs = await shop.claim())
        for (const job of jobs) await shop.completeClaim(job, null)
    }

    it('is deleted again once its later lines are old enough, and does not keep later journals from deletion', async () => {
      const orderRef = await placeConfirmed()
      expect(await droppedBy(journalsOf(shop), shop.now() + 1)).toBe(1)
      const later = await placeConfirmed()
      shop.advance(HOUR)
      await shop.cancel(orderRef)
      await settleAll()
      const events = (await shop.journal(orderRef)).map(({ event }) => event)
      expect(events).not.toEqual([])
      expect(await droppedBy(journalsOf(shop), shop.now(), 1)).toBe(1)
      expect(await shop.journal(later)).toEqual([])
      expect((await shop.journal(orderRef)).map(({ event }) => event)).toEqual(events)
      expect(await droppedBy(journalsOf(shop), shop.now() + 1)).toBe(1)
      expect(await shop.journal(orderRef)).toEqual([])
    })

    it('is kept while anything is pending: a shopper, an effect or a decision', async () => {
      const waiting = await shop.place()
      const [confirming, negotiating] = [await shop.place(), await shop.place()]
      await shop.leadToConfirmation(confirming)
      await confirmByIpn(shop, negotiating)
      await shop.applyEvent(negotiating, { type: 'cancellation.requested' })
      expect((await shop.read(negotiating)).state).toMatchObject({
        checkout: 'confirmed',
        cancellation: 'asking',
      })
      expect(await droppedBy(journalsOf(shop), LATER)).toBe(0)
      for (const orderRef of [waiting, confirming, negotiating])
        expect((await shop.journal(orderRef)).length).toBeGreaterThan(0)
    })

    it('is deleted in batches, even behind journals that are kept', async () => {
      const stays = await shop.place()
      const over: string[] = []
      for (let count = 0; count < 5; count++) {
        over.push(await shop.place(aMerchant('quiet', { sendActionEvents: false })))
      }
      await shop.leadToConfirmation(stays)
      shop.advance(24 * HOUR)
      for (const job of await shop.claimWork())
        await shop.completeClaim(
          job,
          job.payload.kind === 'timer' && job.orderRef !== stays
            ? { type: 'timer.fired', inReplyTo: job.key, timer: job.payload.timer }
            : null,
          job.orderRef === stays ? { type: 'retry', dueAt: LATER } : finishedAs(),
        )
      expect(await droppedBy(journalsOf(shop), shop.now() + 1, 1)).toBe(5)
      for (const orderRef of over) expect(await shop.journal(orderRef)).toEqual([])
      expect((await shop.journal(stays)).length).toBeGreaterThan(0)
    })
  })
}
