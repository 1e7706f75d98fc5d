// Store contract: every attempt of a delivery is recorded with its outcome.
import type { OrderEvent, Report } from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import { finishedAs, HOUR, lanesOf, NOON, SECOND, type StoreShop, unwrap } from './shop.ts'
import {
  actionInFlight,
  attemptReport,
  confirmByIpn,
  findDelivery,
  finishedAction,
  ipnInFlight,
  resend,
  retryAt,
} from './store-fixtures.ts'

export const attemptsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('an attempt of a delivery', () => {
    it('is listed with its result once it has ended', async () => {
      const job = await actionInFlight(shop, { at: NOON + 5 })
      expect(await findDelivery(shop, job.key)).toEqual({
        id: job.key,
        event: 'identification_action',
        orderRef: job.orderRef,
        merchantRef: 'demo',
        state: 'pending',
        dueAt: NOON,
        attempts: [],
      })
      await shop.completeClaim(job, null, finishedAs(), attemptReport(200, { response: 'ñ ok' }))
      expect(await findDelivery(shop, job.key)).toMatchObject({
        state: 'delivered',
        dueAt: null,
        attempts: [
          {
            n: 1,
            trigger: 'schedule',
            startedAt: NOON + 5,
            outcome: 'accepted',
            durationMillis: 12,
            status: 200,
            error: null,
            response: 'ñ ok',
          },
        ],
      })
    })

    it('shows its response if it is one of the last fifty, no matter how often the delivery was resent', async () => {
      const key = await finishedAction(shop)
      for (let count = 2; count <= 52; count++) {
        await resend(shop, key)
        const report = attemptReport(200, { response: `answer ${count}` })
        const repeated = await shop.claimFirst({ internal: 0 })
        await shop.completeClaim(repeated, null, finishedAs(), report)
      }
      const responses = (await findDelivery(shop, key)).attempts.map(({ response }) => response)
      expect(responses).toHaveLength(52)
      expect(responses.slice(0, 3)).toEqual([null, null, 'answer 3'])
      expect(responses.at(-1)).toBe('answer 52')
    })

    it('that fails is kept next to the following one, which is due when the schedule says', async () => {
      const first = await actionInFlight(shop)
      const errorReason =
        'The answer redirects to https://shop.example/ñ. plazo follows no redirect.'
      const timeout: Report = {
        durationMillis: 30_000,
        status: null,
        error: 'timeout',
        errorReason,
        response: null,
      }
      await shop.completeClaim(first, null, retryAt(NOON + 10 * SECOND), timeout)
      expect(await findDelivery(shop, first.key)).toMatchObject({
        state: 'pending',
        dueAt: NOON + 10 * SECOND,
      })
      const second = await shop.claimOne(first.orderRef, 'action', { at: NOON + 10 * SECOND })
      await shop.completeClaim(second, null, finishedAs('exhausted'), attemptReport(503))
      expect(await findDelivery(shop, first.key)).toMatchObject({
        state: 'exhausted',
        dueAt: null,
        attempts: [
          { n: 1, outcome: 'error', ...timeout },
          { n: 2, outcome: 'error', startedAt: NOON + 10 * SECOND, status: 503 },
        ],
      })
    })

    it('does not exist if its claim is released before it was started, and is lost if it was', async () => {
      const first = await actionInFlight(shop)
      await unwrap(shop.store.release([first], 'not_started'))
      expect((await findDelivery(shop, first.key)).attempts).toEqual([])
      const late = await shop.claimOne(first.orderRef, 'action')
      await unwrap(shop.store.release([late], 'started'))
      expect(await findDelivery(shop, late.key)).toMatchObject({
        state: 'pending',
        attempts: [{ outcome: 'lost' }],
      })
      const current = await shop.claimOne(late.orderRef, 'action')
      await shop.completeClaim(current, null, finishedAs(), attemptReport(200))
      expect((await findDelivery(shop, late.key)).attempts).toMatchObject([
        { n: 1, outcome: 'lost', status: null, durationMillis: null },
        { n: 2, outcome: 'accepted', status: 200 },
      ])
    })

    const noAnswer = attemptReport(500, { status: null, error: 'timeout' })
    for (const [result, isConfirmed, report, state] of [
      ['an error', true, attemptReport(500), 'delivered'],
      ['no answer', true, noAnswer, 'stopped'],
      ['an error', false, attemptReport(500), 'exhausted'],
    ] as const)
      it(`with ${result} is ${state} if the merchant has ${isConfirmed ? '' : 'not '}confirmed by themselves`, async () => {
        const ipn = await ipnInFlight(shop)
        if (isConfirmed) await shop.putConfirmed(ipn.orderRef)
        const event: OrderEvent = { type: 'ipn.exhausted', inReplyTo: ipn.key }
        expect(await shop.completeClaim(ipn, event, finishedAs('exhausted'), report)).toBe(state)
        expect((await shop.read(ipn.orderRef)).state.checkout).toBe(
          isConfirmed ? 'confirmed' : 'failed',
        )
        expect(await findDelivery(shop, ipn.key)).toMatchObject({
          state,
          dueAt: null,
          attempts: [{ outcome: 'error', status: report.status }],
        })
      })

    it('of a job that was revoked meanwhile is kept, and the delivery is stopped', async () => {
      const orderRef = await shop.place()
      await confirmByIpn(shop, orderRef)
      await shop.applyEvent(orderRef, { type: 'cancellation.requested' })
      const question = await shop.claimOne(orderRef, 'cancel')
      await shop.cancel(orderRef)
      const deferred: OrderEvent = {
        type: 'cancel.deferred',
        inReplyTo: question.key,
        retryInMinutes: 1,
      }
      expect(await shop.completeClaim(question, deferred, finishedAs(), attemptReport(200))).toBe(
        'stopped',
      )
      expect(await findDelivery(shop, question.key)).toMatchObject({
        state: 'stopped',
        dueAt: null,
        attempts: [{ status: 200 }],
      })
      expect(lanesOf(await shop.claim({ at: NOON + 200 * HOUR }))).not.toContain('cancel')
    })
  })
}
