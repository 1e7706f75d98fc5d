// Store contract: a claimed job is completed together with the step that its answer causes. If that
// step cannot be made, the job is stuck.
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { finishedAs, HOUR, lanesOf, MINUTE, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import { approvalOf, makeStuck, screeningInFlight } from './store-fixtures.ts'

export const completionContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('complete', () => {
    it('writes the result and the step in one transaction, once', async () => {
      const orderRef = await shop.place()
      const job = await screeningInFlight(shop, orderRef)
      expect(await shop.completeClaim(job, approvalOf(job))).toBe('delivered')
      expect((await shop.read(orderRef)).state.checkout).toBe('screened')
      expect((await shop.journal(orderRef)).at(-1)).toMatchObject({
        event: 'screening.resolved',
        detail: 'approved',
      })
      expect(lanesOf(await shop.claimWork({ at: NOON + 23 * HOUR }))).not.toContain('screening')
      expect(await shop.completeClaim(job, approvalOf(job))).toBe('lost')
      expect(
        (await shop.journal(orderRef)).filter(({ event }) => event === 'screening.resolved'),
      ).toHaveLength(1)
    })

    it('with a retry keeps the job, its attempt count and the time of its first attempt', async () => {
      await shop.placeAndSubmit()
      const first = await shop.claimFirst({ deliveries: 0 })
      await shop.completeClaim(first, null, { type: 'retry', dueAt: NOON + 10 * SECOND })
      expect(await shop.claimWork({ at: NOON + 10 * SECOND - 1 })).toEqual([])
      expect(await shop.claimWork({ at: NOON + 10 * SECOND })).toEqual([
        { ...first, attempt: 2, startedAt: NOON + 10 * SECOND, token: expect.any(String) },
      ])
    })

    it('makes a job stuck whose step throws or cannot be made, and writes nothing of the step', async () => {
      const orderRef = await shop.placeAndSubmit()
      await shop.enterCode(orderRef)
      const before = [await shop.read(orderRef), await shop.journal(orderRef)]
      const action = await shop.claimOne(orderRef, 'action')
      await makeStuck(shop, action)
      const cards = await shop.claimOne(orderRef, 'cards')
      const decide = () => {
        throw new Error('an internal error')
      }
      const completed = shop.store.complete(cards, { result: finishedAs(), decide })
      expect(await unwrap(completed)).toBe('stuck')
      expect([await shop.read(orderRef), await shop.journal(orderRef)]).toEqual(before)
      const message = 'an internal error'
      expect(await unwrap(shop.store.stuckJobs())).toEqual(
        expect.arrayContaining([action, cards].map(({ key }) => ({ key, orderRef, message }))),
      )
      // Its lane continues, and the stuck job is never sent again by itself.
      const next = await shop.claimDeliveries({ at: NOON + 999 * HOUR })
      expect(next.map(({ key }) => key)).toEqual([`${orderRef}:3:action`])
      expect(await shop.completeClaim(action, null)).toBe('lost')
    })

    it('lists the stuck jobs of every order and kind, oldest first', async () => {
      const [first, second] = [await shop.place(), await shop.place()]
      await shop.submit(second)
      shop.advance(SECOND)
      await shop.submit(first)
      expect(await unwrap(shop.store.stuckJobs())).toEqual([])
      for (const [orderRef, lane] of [
        [first, 'action'],
        [second, 'action'],
        [second, 'sms'],
      ] as const)
        await unwrap(
          shop.store.complete(await shop.claimOne(orderRef, lane), {
            result: finishedAs(),
            decide: () => E.left({ message: `no ${lane}` }),
          }),
        )
      expect(await unwrap(shop.store.stuckJobs())).toEqual([
        { key: `${second}:2:sms`, orderRef: second, message: 'no sms' },
        { key: `${second}:2:action`, orderRef: second, message: 'no action' },
        { key: `${first}:2:action`, orderRef: first, message: 'no action' },
      ])
    })

    it('runs a stuck job again under its own key once it is retried', async () => {
      const orderRef = await shop.placeAndSubmit()
      const stuckJob = await shop.claimOne(orderRef, 'sms')
      await makeStuck(shop, stuckJob)
      await unwrap(shop.store.retryStuckJob(stuckJob.key, NOON + MINUTE))
      expect(await unwrap(shop.store.stuckJobs())).toEqual([])
      expect(await shop.claimWork({ at: NOON + MINUTE - 1 })).toEqual([])
      const repeated = await shop.claimOne(orderRef, 'sms', { at: NOON + MINUTE })
      expect(repeated).toMatchObject({ key: stuckJob.key, payload: stuckJob.payload, attempt: 2 })
      expect(await shop.completeClaim(repeated, null)).toBe('delivered')
    })

    it('reports that no job with the key is stuck', async () => {
      const orderRef = await shop.placeAndSubmit()
      const others = [
        `${orderRef}:9:sms`,
        `${orderRef}:2:sms\0`,
        `${orderRef}:${'9'.repeat(15)}:sms`,
        'no key',
      ]
      for (const key of [`${orderRef}:2:sms`, ...others])
        expect(await shop.store.retryStuckJob(key, NOON)()).toEqual(E.left({ _tag: 'JobNotFound' }))
    })
  })
}
