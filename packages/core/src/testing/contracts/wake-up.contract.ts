// Store contract: after each commit the store reports when a claim may find more. A worker that
// relied on polling alone would start every job up to a second late.
import { type CommitListener, unchanged } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { HOUR, lanesOf, MINUTE, NOON, type StoreShop, unwrap } from './shop.ts'
import { makeStuck } from './store-fixtures.ts'

export const wakeUpContract = (
  { describe, it, beforeEach, afterEach, expect }: Runner,
  shop: StoreShop,
) => {
  const reports = (): boolean => shop.store.onCommitted !== undefined
  let reported: number[]
  let steps: number
  let unsubscribe: () => void
  beforeEach(() => {
    reported = []
    steps = 0
    const listener: CommitListener = (report) => {
      reported.push(report.nextDueAt)
      steps += report.steps
    }
    unsubscribe = reports() ? shop.store.onCommitted(listener) : () => {}
  })
  afterEach(() => unsubscribe())

  /**
   * Runs the write, and checks that it was reported as due at this instant or earlier, if the store
   * reports commits.
   */
  const expectReport = async <A>(dueAt: number, write: () => Promise<A>): Promise<A> => {
    reported.length = 0
    const answer = await write()
    if (reports()) expect(Math.min(...reported)).toBeLessThanOrEqual(dueAt)
    return answer
  }

  describe('after a commit, workers', () => {
    it('hear of a job that is due now before its caller is answered', async () => {
      const orderRef = await shop.place()
      await expectReport(NOON, () => shop.submit(orderRef))
      expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
    })

    it('hear of a job that is retried, released, or no longer stuck', async () => {
      const orderRef = await shop.placeAndSubmit()
      const later = { at: NOON + MINUTE }
      const sms = await shop.claimOne(orderRef, 'sms')
      await expectReport(NOON + MINUTE, () =>
        shop.completeClaim(sms, null, { type: 'retry', dueAt: NOON + MINUTE }),
      )
      const second = await shop.claimOne(orderRef, 'sms', later)
      await expectReport(NOON + MINUTE, () => unwrap(shop.store.release([second], 'started')))
      const third = await shop.claimOne(orderRef, 'sms', later)
      await makeStuck(shop, third)
      await expectReport(NOON + HOUR, () =>
        unwrap(shop.store.retryStuckJob(third.key, NOON + HOUR)),
      )
    })

    it('hear of each step once, and of no decision that changes nothing', async () => {
      const orderRef = await shop.placeConfirming()
      await unwrap(
        shop.store.step(orderRef, (order) => E.right({ step: unchanged(order), answer: null })),
      )
      if (reports()) expect(steps).toBe((await shop.journal(orderRef)).length)
    })
  })
}
