// Retention together with resends and stuck jobs: nothing is deleted that still has to be sent, or
// that an operator has to decide.
import { deliveriesOf, deliveryIds, droppedBy, LATER } from './retention-fixtures.ts'
import type { Runner } from './runner.ts'
import { HOUR, NOON, type StoreShop, unwrap } from './shop.ts'
import { actionInFlight, finishedAction, makeStuck, resend } from './store-fixtures.ts'

export const retentionAndJobsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('retention and resends', () => {
    it('measure the age of a delivery from its last attempt, which may be a resend', async () => {
      const id = await finishedAction(shop)
      shop.advance(HOUR)
      await resend(shop, id)
      const [job, ...others] = await shop.claimDeliveries()
      expect([job?.key, job?.isResend, others]).toEqual([id, true, []])
      if (job !== undefined) await shop.completeClaim(job, null)
      expect(await droppedBy(deliveriesOf(shop), NOON + HOUR)).toBe(0)
      expect(await droppedBy(deliveriesOf(shop), NOON + HOUR + 1)).toBe(1)
    })

    it('keep a delivery while its resend is pending or in flight', async () => {
      const id = await finishedAction(shop)
      await resend(shop, id)
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(0)
      const job = await shop.claimFirst({ internal: 0 })
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(0)
      await shop.completeClaim(job, null)
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(1)
    })
  })

  describe('retention and stuck jobs', () => {
    it('keep a stuck delivery until it was retried and is finished', async () => {
      const stuck = await actionInFlight(shop)
      await makeStuck(shop, stuck)
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(0)
      expect(await deliveryIds(shop)).toEqual([stuck.key])
      await unwrap(shop.store.retryStuckJob(stuck.key, shop.now()))
      await shop.completeClaim(await shop.claimOne(stuck.orderRef, 'action'), null)
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(1)
    })
  })
}
