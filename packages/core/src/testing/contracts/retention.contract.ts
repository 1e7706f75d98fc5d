// Store contract: old finished data is deleted, and nothing else.
import { deliveriesOf, deliveryIds, droppedBy, LATER } from './retention-fixtures.ts'
import type { Runner } from './runner.ts'
import { aMerchant, NOON, type StoreShop } from './shop.ts'
import { finishedAction } from './store-fixtures.ts'

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
}
