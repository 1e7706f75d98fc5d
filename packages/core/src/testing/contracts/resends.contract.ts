// Store contract: a delivery can be sent once more, finished or not.
import type { Runner } from './runner.ts'
import { finishedAs, HOUR, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
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

    it('of a finished one sends it once more, under the same key, and only an accepted one changes it', async () => {
      const id = await finishedAction(shop, 'exhausted')
      shop.advance(HOUR)
      const states: string[] = []
      for (const [result, status] of [
        [retryAt(NOON + 2 * HOUR), 500],
        [finishedAs('unsupported'), 501],
        [finishedAs(), 200],
        [finishedAs('exhausted'), 500],
      ] as const) {
        await resend(shop, id)
        const job = await shop.claimFirst({ internal: 0 })
        expect(job).toMatchObject({ key: id, lane: 'action', firstAt: NOON })
        expect(job.payload).toMatchObject({ kind: 'event', event: 'identification_action' })
        await shop.completeClaim(job, null, result, attemptReport(status))
        states.push((await findDelivery(shop, id)).state)
      }
      expect(states).toEqual(['exhausted', 'unsupported', 'delivered', 'delivered'])
      const { attempts } = await findDelivery(shop, id)
      expect(attempts.map(({ n, trigger, status }) => [n, trigger, status])).toEqual([
        [1, 'schedule', 500],
        [2, 'resend', 500],
        [3, 'resend', 501],
        [4, 'resend', 200],
        [5, 'resend', 500],
      ])
      expect(await shop.claimDeliveries({ at: NOON + 999 * HOUR })).toEqual([])
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
