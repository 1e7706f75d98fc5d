// Store contract: old finished data is deleted, and nothing else: nothing that still has to be sent, or
// that an operator has to decide.
import type { DroppedBatch } from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import { aMerchant, HOUR, listedDeliveries, NOON, type StoreShop, unwrap } from './shop.ts'
import { actionInFlight, finishedAction, makeStuck, resend } from './store-fixtures.ts'

const LATER = NOON + 100 * HOUR

/** Runs batch after batch until the end. Returns how many were deleted. */
const droppedBy = async ({ store }: StoreShop, before: number, rows = 100): Promise<number> => {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const request = { before, after, rows }
    const dropped: DroppedBatch = await unwrap(store.retention.dropDeliveries(request))
    count += dropped.count
    after = dropped.next
  }
  return count
}

const deliveryIds = async (
  { store }: StoreShop,
  merchantRef = 'demo',
): Promise<readonly string[]> =>
  (await listedDeliveries(store, { merchantRef })).map(({ id }) => id)

export const retentionContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('a finished delivery', () => {
    it('is deleted with its attempts once it is old enough, for every merchant and final status, and is not found then', async () => {
      for (const as of ['delivered', 'exhausted', 'stopped', 'unsupported'] as const)
        await finishedAction(shop, as)
      await finishedAction(shop, 'delivered', aMerchant('other'))
      const [id = ''] = await deliveryIds(shop)
      expect(await droppedBy(shop, NOON)).toBe(0)
      expect(await deliveryIds(shop)).toHaveLength(4)
      expect(await droppedBy(shop, NOON + 1)).toBe(5)
      expect([await deliveryIds(shop), await deliveryIds(shop, 'other')]).toEqual([[], []])
      const notFound = { left: { _tag: 'DeliveryNotFound' } }
      expect(await shop.store.deliveries.find('demo', id)()).toMatchObject(notFound)
      expect(await shop.store.deliveries.resend('demo', id, LATER)()).toMatchObject(notFound)
      expect(await droppedBy(shop, NOON + 1)).toBe(0)
    })

    it('is deleted in small batches with a limited number of rows', async () => {
      for (let count = 0; count < 25; count++) await finishedAction(shop)
      const first = await unwrap(
        shop.store.retention.dropDeliveries({ before: LATER, after: 0, rows: 10 }),
      )
      expect(first.count).toBeLessThanOrEqual(10)
      expect(first.next).not.toBe(null)
      expect(await deliveryIds(shop)).toHaveLength(25 - first.count)
      expect(await droppedBy(shop, LATER, 10)).toBe(25 - first.count)
    })

    it('is deleted even behind deliveries that must be kept', async () => {
      const stays = await shop.placeAndSubmit()
      for (let count = 0; count < 5; count++) await finishedAction(shop)
      expect(await droppedBy(shop, LATER, 2)).toBe(5)
      expect((await deliveryIds(shop)).map((id) => id.includes(stays))).toEqual([true])
    })
  })

  describe('retention and resends', () => {
    it('measure the age of a delivery from its last attempt, which may be a resend', async () => {
      const id = await finishedAction(shop)
      shop.advance(HOUR)
      await resend(shop, id)
      const [job, ...others] = await shop.claimDeliveries()
      expect([job?.key, job?.isResend, others]).toEqual([id, true, []])
      if (job !== undefined) await shop.completeClaim(job, null)
      expect(await droppedBy(shop, NOON + HOUR)).toBe(0)
      expect(await droppedBy(shop, NOON + HOUR + 1)).toBe(1)
    })

    it('keep a delivery while its resend is pending or in flight', async () => {
      const id = await finishedAction(shop)
      await resend(shop, id)
      expect(await droppedBy(shop, LATER)).toBe(0)
      const job = await shop.claimFirst({ internal: 0 })
      expect(await droppedBy(shop, LATER)).toBe(0)
      await shop.completeClaim(job, null)
      expect(await droppedBy(shop, LATER)).toBe(1)
    })
  })

  describe('retention and stuck jobs', () => {
    it('keep a stuck delivery until it was retried and is finished', async () => {
      const stuck = await actionInFlight(shop)
      await makeStuck(shop, stuck)
      expect(await droppedBy(shop, LATER)).toBe(0)
      expect(await deliveryIds(shop)).toEqual([stuck.key])
      await unwrap(shop.store.retryStuckJob(stuck.key, shop.now()))
      await shop.completeClaim(await shop.claimOne(stuck.orderRef, 'action'), null)
      expect(await droppedBy(shop, LATER)).toBe(1)
    })
  })
}
