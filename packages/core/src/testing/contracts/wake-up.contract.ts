// Store contract: after each commit the store reports when a claim may find more. A worker that
// relied on polling alone would start every job up to a second late.
import {
  type CommitListener,
  type Decide,
  type DoEffect,
  type Effect,
  effectKey,
  type InternalError,
  type OrderEvent,
  type Step,
  step,
  unchanged,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import {
  aMerchant,
  finishedAs,
  HOUR,
  lanesOf,
  MINUTE,
  NOON,
  type StoreShop,
  terms,
  unwrap,
} from './shop.ts'
import { makeStuck } from './store-fixtures.ts'

const aJob = (
  orderRef: string,
  lane: string,
  overrides: Partial<Pick<DoEffect, 'dueAt' | 'excludes' | 'key'>> = {},
): DoEffect => ({
  type: 'do',
  key: effectKey(orderRef, 1, lane),
  lane,
  payload: { kind: 'void', payment: lane },
  dueAt: NOON,
  expiresAt: null,
  excludes: null,
  ...overrides,
})

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

  /** Places an order whose only jobs are these. */
  const placeWith = async (effectsOf: (orderRef: string) => readonly Effect[]): Promise<string> => {
    const placement = shop.preparePlacing()
    const { orderRef } = placement.order.placed
    await unwrap(shop.store.place({ ...placement, effects: effectsOf(orderRef) }, '{}'))
    return orderRef
  }

  let changes = 0

  /** A step whose only effects are these. */
  const decideWith =
    (effects: readonly Effect[]): Decide<InternalError, { readonly statusOverride: null }> =>
    (order) => {
      const event: OrderEvent = { type: 'references.given', first: `N-${++changes}`, second: null }
      const input = { at: shop.now(), random: shop.host.ids.random(), referenceIsTaken: false }
      return E.map((result: Step) => ({
        step: { ...result, effects },
        answer: { statusOverride: null },
      }))(step(terms)(order, event, input))
    }

  const stepWith = (orderRef: string, effects: readonly Effect[]): Promise<unknown> =>
    unwrap(shop.store.step(orderRef, decideWith(effects)))

  describe('after a commit, workers', () => {
    it('hear of a job that is due now before its caller is answered', async () => {
      const orderRef = await shop.place()
      await expectReport(NOON, () => shop.submit(orderRef))
      expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
    })

    it('hear when the first of several jobs is due, at the latest', async () => {
      await expectReport(NOON + MINUTE, () =>
        placeWith((ref) => [
          aJob(ref, 'a', { dueAt: NOON + HOUR }),
          aJob(ref, 'b', { dueAt: NOON + MINUTE }),
        ]),
      )
    })

    it('hear of a job that waited for its lane', async () => {
      const orderRef = await placeWith((ref) => [aJob(ref, 'a')])
      const first = await shop.claimOne(orderRef, 'a')
      await stepWith(orderRef, [aJob(orderRef, 'a', { key: effectKey(orderRef, 2, 'a') })])
      expect(await shop.claim()).toEqual([])
      await expectReport(NOON, () => shop.completeClaim(first, null))
      expect(lanesOf(await shop.claim())).toEqual(['a'])
    })

    it('hear of a job in a lane that another one excluded', async () => {
      const orderRef = await placeWith((ref) => [aJob(ref, 'a'), aJob(ref, 'b', { excludes: 'a' })])
      const first = await shop.claimOne(orderRef, 'b')
      expect(await shop.claim()).toEqual([])
      await expectReport(NOON, () => shop.completeClaim(first, null))
      expect(lanesOf(await shop.claim())).toEqual(['a'])
    })

    it('hear of a job in a lane that a revoked one excluded', async () => {
      const orderRef = await placeWith((ref) => [aJob(ref, 'a'), aJob(ref, 'b', { excludes: 'a' })])
      await expectReport(NOON, () => stepWith(orderRef, [{ type: 'revoke', lane: 'b' }]))
      expect(lanesOf(await shop.claim())).toEqual(['a'])
    })

    it('hear of the next delivery of a merchant that has one less in flight', async () => {
      await shop.placeAndSubmit(aMerchant())
      await shop.placeAndSubmit(aMerchant())
      const first = await shop.claimFirst({ internal: 0, perAccount: 1 })
      expect(await shop.claimDeliveries({ perAccount: 1 })).toEqual([])
      await expectReport(NOON, () => shop.completeClaim(first, null))
      expect(await shop.claimDeliveries({ perAccount: 1 })).toHaveLength(1)
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

    it('hear nothing once they have unsubscribed', async () => {
      unsubscribe()
      await shop.placeAndSubmit()
      expect(reported).toEqual([])
      expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
    })
  })

  describe('a step', () => {
    it('leaves no job that it also revokes, and its lane goes on', async () => {
      const orderRef = await placeWith((ref) => [aJob(ref, 'a'), { type: 'revoke', lane: 'a' }])
      expect(await shop.claim()).toEqual([])
      await stepWith(orderRef, [aJob(orderRef, 'a', { key: effectKey(orderRef, 2, 'a') })])
      expect(lanesOf(await shop.claim())).toEqual(['a'])
    })

    it('leaves its jobs once if a completed job causes it', async () => {
      const orderRef = await placeWith((ref) => [aJob(ref, 'a')])
      const first = await shop.claimOne(orderRef, 'a')
      const effects = [
        aJob(orderRef, 'b'),
        aJob(orderRef, 'a', { key: effectKey(orderRef, 2, 'a') }),
      ]
      expect(
        await unwrap(
          shop.store.complete(first, { result: finishedAs(), decide: decideWith(effects) }),
        ),
      ).toBe('delivered')
      expect(lanesOf(await shop.claim())).toEqual(['a', 'b'])
    })
  })
}
