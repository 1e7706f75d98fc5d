// Store contract: a delivery can be sent once more, finished or not.
import type { OrderEvent } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import {
  CODE,
  finishedAs,
  HOUR,
  lanesOf,
  MINUTE,
  NOON,
  SECOND,
  type StoreShop,
  unwrap,
} from './shop.ts'
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

    it('of one that waits in its lane keeps its turn, and makes the jobs ahead of it due', async () => {
      const first = await actionInFlight(shop)
      await shop.submit(first.orderRef, { validation_code: CODE })
      await shop.completeClaim(first, null, retryAt(NOON + HOUR), attemptReport(500))
      const behind = `${first.orderRef}:3:action`
      await resend(shop, behind)
      const head = await shop.claimFirst({ internal: 0 })
      expect(head.key).toBe(first.key)
      await shop.completeClaim(head, null, finishedAs(), attemptReport(200))
      const next = await shop.claimOne(first.orderRef, 'action')
      expect(next.key).toBe(behind)
      await shop.completeClaim(next, null)
      expect((await findDelivery(shop, behind)).attempts).toMatchObject([
        { n: 1, trigger: 'resend' },
      ])
      expect((await findDelivery(shop, first.key)).attempts).toMatchObject([
        { trigger: 'schedule' },
        { trigger: 'schedule' },
      ])
    })

    it('of one in flight is its next attempt, at once if this one fails', async () => {
      const first = await actionInFlight(shop)
      shop.advance(SECOND)
      await resend(shop, first.key)
      expect(await shop.claimDeliveries()).toEqual([])
      await shop.completeClaim(first, null, retryAt(NOON + HOUR), attemptReport(500))
      expect((await findDelivery(shop, first.key)).dueAt).toBe(NOON)
      const second = await shop.claimFirst({ internal: 0 })
      expect(second.key).toBe(first.key)
      await shop.completeClaim(second, null, finishedAs(), attemptReport(200))
      expect((await findDelivery(shop, first.key)).attempts).toMatchObject([
        { trigger: 'schedule' },
        { trigger: 'resend' },
      ])
      expect(await shop.claimDeliveries({ at: NOON + 999 * HOUR })).toEqual([])
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

    it('of a finished delivery neither delays its lane nor waits for it', async () => {
      const first = await actionInFlight(shop)
      await shop.completeClaim(first, null, finishedAs(), attemptReport(200))
      await shop.submit(first.orderRef, { validation_code: CODE })
      await resend(shop, first.key)
      const jobs = await shop.claimDeliveries()
      expect(jobs.map(({ key }) => key).sort()).toEqual([first.key, `${first.orderRef}:3:action`])
    })

    it('requested twice before it was sent is sent once, and may then be requested again', async () => {
      const id = await finishedAction(shop, 'delivered')
      await resend(shop, id)
      await resend(shop, id)
      const [job, ...others] = await shop.claimDeliveries()
      expect(others).toEqual([])
      if (job !== undefined) await shop.completeClaim(job, null, finishedAs(), attemptReport(200))
      expect(await shop.claimDeliveries()).toEqual([])
      await resend(shop, id)
      expect(await shop.claimDeliveries()).toHaveLength(1)
    })

    it('takes the only place of a merchant that is not good, next to other resends and to deliveries that are due', async () => {
      const ids = [await finishedAction(shop, 'exhausted'), await finishedAction(shop, 'exhausted')]
      await shop.placeAndSubmit()
      for (const id of ids) await resend(shop, id)
      expect(await shop.claimDeliveries({ perAccount: 1 })).toHaveLength(1)
      expect(await shop.claimDeliveries({ perAccount: 1 })).toEqual([])
    })

    it('whose lease passes to another worker is sent again, because nobody knows if it arrived', async () => {
      const id = await finishedAction(shop, 'exhausted')
      await resend(shop, id)
      const late = await shop.claimFirst({ internal: 0, lease: 0 })
      const current = await shop.claimFirst({ internal: 0 })
      expect(await shop.completeClaim(late, null, finishedAs(), attemptReport(200))).toBe('lost')
      await shop.completeClaim(current, null, finishedAs(), attemptReport(200))
      expect(await findDelivery(shop, id)).toMatchObject({
        state: 'delivered',
        attempts: [
          { n: 1 },
          { n: 2, trigger: 'resend', outcome: 'lost' },
          { n: 3, trigger: 'resend' },
        ],
      })
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

    for (const received of ['accepted', 'stuck'])
      it(`of one that is back in its lane meanwhile leaves the job there: ${received}`, async () => {
        const stuckJob = await actionInFlight(shop)
        await makeStuck(shop, stuckJob, attemptReport(200))
        await resend(shop, stuckJob.key)
        const resent = await shop.claimOne(stuckJob.orderRef, 'action')
        await unwrap(shop.store.retryStuckJob(stuckJob.key, shop.now()))
        await shop.submit(stuckJob.orderRef, { validation_code: CODE })
        const decide = received === 'stuck' ? () => E.left({ message: 'a fault' }) : undefined
        await unwrap(
          shop.store.complete(resent, { result: finishedAs(), decide, report: attemptReport(200) }),
        )
        expect((await findDelivery(shop, stuckJob.key)).state).toBe('pending')
        expect(await unwrap(shop.store.stuckJobs())).toEqual([])
        const first = await shop.claimOne(stuckJob.orderRef, 'action')
        expect([first.key, first.isResend]).toEqual([stuckJob.key, false])
        await shop.completeClaim(first, null)
        expect((await shop.claimOne(stuckJob.orderRef, 'action')).key).not.toBe(stuckJob.key)
      })

    for (const later of [0, MINUTE])
      it(`of one that returns to its lane ${later} ms later is a separate attempt`, async () => {
        const stuckJob = await actionInFlight(shop)
        await makeStuck(shop, stuckJob, attemptReport(200))
        await resend(shop, stuckJob.key)
        shop.advance(later)
        await unwrap(shop.store.retryStuckJob(stuckJob.key, shop.now()))
        const jobs = [...(await shop.claim()), ...(await shop.claim())].filter(
          ({ key }) => key === stuckJob.key,
        )
        expect(jobs.map(({ attempt }) => attempt).toSorted()).toEqual([2, 3])
        // Both attempts are in flight. Each is completed by its own answer, in either order.
        const attemptsOf = async () =>
          (await findDelivery(shop, stuckJob.key)).attempts.map(({ n, status }) => [n, status])
        const [later3, earlier2] = jobs.toSorted((a, b) => b.attempt - a.attempt)
        if (later3 === undefined || earlier2 === undefined)
          throw new Error('Two were not in flight.')
        await shop.completeClaim(later3, null, retryAt(shop.now() + MINUTE), attemptReport(503))
        await shop.completeClaim(earlier2, null, retryAt(shop.now() + MINUTE), attemptReport(502))
        expect(await attemptsOf()).toEqual([
          [1, 200],
          [2, 502],
          [3, 503],
        ])
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
