// Store contract: a delivery can be sent once more, finished or not.
import type { OrderEvent } from '@plazo/core'
import type { Runner } from './runner.ts'
import { finishedAs, HOUR, lanesOf, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import {
  actionInFlight,
  attemptReport,
  findDelivery,
  finishedAction,
  ipnInFlight,
  makeStuck,
  resend,
  retryAt,
} from './store-fixtures.ts'

export const resendsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('a resend', () => {
    it('of a pending delivery is its next attempt, at once, and its schedule still counts from the first one', async () => {
      const first = await actionInFlight(shop)
      await shop.completeClaim(first, null, retryAt(NOON + HOUR), attemptReport(500))
      shop.advance(SECOND)
      expect(await shop.claimDeliveries()).toEqual([])
      await resend(shop, first.key)
      expect(await findDelivery(shop, first.key)).toMatchObject({
        state: 'pending',
        dueAt: NOON + SECOND,
      })
      const second = await shop.claimFirst({ internal: 0 })
      expect(second).toEqual({
        ...first,
        attempt: 2,
        startedAt: NOON + SECOND,
        token: expect.any(String),
      })
      await shop.completeClaim(second, null, retryAt(NOON + 2 * HOUR), attemptReport(500))
      expect(await shop.claimDeliveries({ at: NOON + 2 * HOUR - 1 })).toEqual([])
      const third = await shop.claimOne(first.orderRef, 'action', { at: NOON + 2 * HOUR })
      await shop.completeClaim(third, null)
      expect(
        (await findDelivery(shop, first.key)).attempts.map(({ n, trigger }) => [n, trigger]),
      ).toEqual([
        [1, 'schedule'],
        [2, 'resend'],
        [3, 'schedule'],
      ])
    })

    const endings = ['delivered', 'exhausted', 'stopped', 'unsupported'] as const
    for (const ending of endings)
      it(`of one that is ${ending} sends it once more, under the same key`, async () => {
        const id = await finishedAction(shop, ending)
        shop.advance(HOUR)
        await resend(shop, id)
        expect(await findDelivery(shop, id)).toMatchObject({ state: ending, dueAt: null })
        const job = await shop.claimFirst({ internal: 0 })
        expect(job).toMatchObject({
          key: id,
          lane: 'action',
          attempt: 2,
          firstAt: NOON,
          startedAt: NOON + HOUR,
        })
        expect(job.payload).toMatchObject({ kind: 'event', event: 'identification_action' })
        await shop.completeClaim(job, null, retryAt(NOON + 2 * HOUR), attemptReport(500))
        expect(await findDelivery(shop, id)).toMatchObject({
          state: ending,
          dueAt: null,
          attempts: [
            { n: 1, trigger: 'schedule' },
            { n: 2, trigger: 'resend', outcome: 'error', status: 500 },
          ],
        })
        expect(await shop.claimDeliveries({ at: NOON + 999 * HOUR })).toEqual([])
      })

    it('that is accepted makes a delivery delivered, and one that is not leaves it delivered', async () => {
      const id = await finishedAction(shop, 'exhausted')
      const states: string[] = []
      for (const [as, status] of [
        ['unsupported', 501],
        ['delivered', 200],
        ['unsupported', 501],
        ['exhausted', 500],
      ] as const) {
        await resend(shop, id)
        const job = await shop.claimFirst({ internal: 0 })
        await shop.completeClaim(job, null, finishedAs(as), attemptReport(status))
        states.push((await findDelivery(shop, id)).state)
      }
      expect(states).toEqual(['unsupported', 'delivered', 'delivered', 'delivered'])
      const { attempts } = await findDelivery(shop, id)
      expect(attempts.map(({ n, status }) => [n, status])).toEqual([
        [1, 500],
        [2, 501],
        [3, 200],
        [4, 501],
        [5, 500],
      ])
    })

    it('of a stuck one applies the reply, because the order still awaits it', async () => {
      const ipn = await ipnInFlight(shop)
      await makeStuck(shop, ipn, attemptReport(200))
      await resend(shop, ipn.key)
      const job = await shop.claimOne(ipn.orderRef, 'ipn')
      await shop.completeClaim(
        job,
        { type: 'ipn.accepted', inReplyTo: ipn.key },
        finishedAs(),
        attemptReport(200),
      )
      expect((await shop.read(ipn.orderRef)).state.checkout).toBe('confirmed')
      expect((await findDelivery(shop, ipn.key)).state).toBe('delivered')
      expect(await unwrap(shop.store.stuckJobs())).toEqual([])
    })

    it('whose step fails makes the delivery stuck', async () => {
      const id = await finishedAction(shop, 'delivered')
      await resend(shop, id)
      const job = await shop.claimFirst({ internal: 0 })
      await makeStuck(shop, job, attemptReport(200))
      expect((await findDelivery(shop, id)).state).toBe('stuck')
      expect(await unwrap(shop.store.stuckJobs())).toEqual([
        { key: id, orderRef: job.orderRef, message: 'an internal error' },
      ])
      expect(await shop.claimDeliveries({ at: NOON + 999 * HOUR })).toEqual([])
    })

    it('does not change an order that no longer awaits the reply', async () => {
      const orderRef = await shop.placeConfirming()
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await shop.completeClaim(
        ipn,
        { type: 'ipn.conflicted', inReplyTo: ipn.key },
        finishedAs(),
        attemptReport(409),
      )
      await resend(shop, ipn.key)
      const before = await shop.read(orderRef)
      const accepted: OrderEvent = { type: 'ipn.accepted', inReplyTo: ipn.key }
      await shop.completeClaim(
        await shop.claimOne(orderRef, 'ipn'),
        accepted,
        finishedAs(),
        attemptReport(200),
      )
      const after = await shop.read(orderRef)
      expect(after.state).toEqual(before.state)
      expect((await shop.journal(orderRef)).at(-1)?.detail).toBe(
        'not expected any more: changes nothing',
      )
    })

    it('is not revoked with its lane', async () => {
      const ipn = await ipnInFlight(shop)
      await shop.completeClaim(ipn, null, finishedAs('exhausted'), attemptReport(500))
      await resend(shop, ipn.key)
      await shop.putConfirmed(ipn.orderRef)
      expect(lanesOf(await shop.claimDeliveries())).toContain('ipn')
    })

    it('is reported to workers, as is a recovery', async () => {
      if (shop.store.onCommitted === undefined) return
      const reported: number[] = []
      const unsubscribe = shop.store.onCommitted(({ nextDueAt }) => void reported.push(nextDueAt))
      const key = await finishedAction(shop, 'exhausted')
      reported.length = 0
      await resend(shop, key)
      expect(Math.min(...reported)).toBeLessThanOrEqual(shop.now())
      reported.length = 0
      await unwrap(
        shop.store.deliveries.recover({
          merchantRef: 'demo',
          since: NOON,
          at: shop.now(),
          after: 0,
          limit: 9,
        }),
      )
      expect(Math.min(...reported)).toBeLessThanOrEqual(shop.now())
      unsubscribe()
    })
  })
}
