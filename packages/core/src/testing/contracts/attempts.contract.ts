// Store contract: every attempt of a delivery is recorded with its outcome.
import {
  type AttemptResult,
  type CompletionDecide,
  type Job,
  type OrderEvent,
  type Report,
  unchanged,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
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

/** A cancel question whose order was cancelled while the question was in flight. */
const revokedInFlight = async (shop: StoreShop): Promise<Job> => {
  const orderRef = await shop.place()
  await confirmByIpn(shop, orderRef)
  await shop.applyEvent(orderRef, { type: 'cancellation.requested' })
  const question = await shop.claimOne(orderRef, 'cancel')
  await shop.cancel(orderRef)
  return question
}

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
      const key = await finishedAction(shop, 'delivered')
      for (let count = 1; count <= 50; count++) {
        await resend(shop, key)
        const repeated = await shop.claimFirst({ internal: 0 })
        await shop.completeClaim(
          repeated,
          null,
          finishedAs(),
          attemptReport(200, { response: `answer ${count}` }),
        )
        if (count !== 49) continue
        expect((await findDelivery(shop, key)).attempts).toHaveLength(50)
        expect((await findDelivery(shop, key)).attempts[1]?.response).toBe('answer 1')
      }
      await resend(shop, key)
      const last = await shop.claimFirst({ internal: 0 })
      await shop.completeClaim(
        last,
        null,
        finishedAs(),
        attemptReport(200, { response: 'the last' }),
      )
      const responses = (await findDelivery(shop, key)).attempts.map(({ n, response }) => [
        n,
        response,
      ])
      expect(responses).toHaveLength(52)
      expect(responses.slice(0, 4)).toEqual([
        [1, null],
        [2, null],
        [3, 'answer 2'],
        [4, 'answer 3'],
      ])
      expect(responses.at(-1)).toEqual([52, 'the last'])
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

    it('is lost when its started claim is released, and the next one shows that', async () => {
      const late = await actionInFlight(shop)
      await unwrap(shop.store.release([late], 'started'))
      expect(await findDelivery(shop, late.key)).toMatchObject({
        state: 'pending',
        attempts: [{ outcome: 'lost' }],
      })
      const current = await shop.claimOne(late.orderRef, 'action')
      expect(await shop.completeClaim(late, null, finishedAs(), attemptReport(200))).toBe('lost')
      await shop.completeClaim(current, null, finishedAs(), attemptReport(200))
      expect((await findDelivery(shop, late.key)).attempts).toMatchObject([
        { n: 1, outcome: 'lost', status: null, durationMillis: null },
        { n: 2, outcome: 'accepted', status: 200 },
      ])
    })

    it('does not exist if its claim is released before it was started', async () => {
      const first = await actionInFlight(shop)
      await unwrap(shop.store.release([first], 'not_started'))
      expect(await findDelivery(shop, first.key)).toMatchObject({
        state: 'pending',
        dueAt: NOON,
        attempts: [],
      })
      shop.advance(HOUR)
      const next = await shop.claimOne(first.orderRef, 'action')
      expect(next).toEqual({
        ...first,
        firstAt: NOON + HOUR,
        startedAt: NOON + HOUR,
        token: expect.any(String),
      })
      await shop.completeClaim(next, null)
      expect((await findDelivery(shop, first.key)).attempts).toMatchObject([
        { n: 1, trigger: 'schedule' },
      ])
    })

    it('does not exist if the job was revoked before it was started, and the delivery is stopped', async () => {
      const question = await revokedInFlight(shop)
      await unwrap(shop.store.release([question], 'not_started'))
      expect(await findDelivery(shop, question.key)).toMatchObject({
        state: 'stopped',
        dueAt: null,
        attempts: [],
      })
    })

    const timeout = attemptReport(500, { status: null, error: 'timeout' })
    const settled = [
      ['an error', 'ipn.erred', retryAt(NOON + SECOND), attemptReport(500), 'delivered'],
      ['the last error', 'ipn.exhausted', finishedAs('exhausted'), attemptReport(500), 'delivered'],
      ['no answer', 'ipn.erred', retryAt(NOON + SECOND), timeout, 'stopped'],
      ['no answer the last time', 'ipn.exhausted', finishedAs('exhausted'), timeout, 'stopped'],
      [
        'the last error, if the merchant has not confirmed',
        'ipn.exhausted',
        finishedAs('exhausted'),
        attemptReport(500),
        'exhausted',
      ],
    ] as const
    for (const [error, type, attemptResult, report, state] of settled)
      it(`with ${error} settles the order and ends its delivery`, async () => {
        const ipn = await ipnInFlight(shop)
        if (state !== 'exhausted') await shop.putConfirmed(ipn.orderRef)
        expect(
          await shop.completeClaim(ipn, { type, inReplyTo: ipn.key }, attemptResult, report),
        ).toBe(state)
        expect((await shop.read(ipn.orderRef)).state.checkout).toBe(
          state === 'exhausted' ? 'failed' : 'confirmed',
        )
        const { status } = report
        expect(await findDelivery(shop, ipn.key)).toMatchObject({
          state,
          dueAt: null,
          attempts: [{ outcome: 'error', status }],
        })
      })

    const answers: readonly [string, OrderEvent | null, AttemptResult][] = [
      ['done', { type: 'cancel.agreed', inReplyTo: '' }, finishedAs()],
      ['put off', { type: 'cancel.deferred', inReplyTo: '', retryInMinutes: 1 }, finishedAs()],
      [
        'not done by this merchant',
        { type: 'cancel.unsupported', inReplyTo: '' },
        finishedAs('unsupported'),
      ],
      ['an error', null, retryAt(NOON + SECOND)],
    ]
    for (const [answered, event, attemptResult] of answers)
      it(`of a job that was revoked meanwhile, answered as ${answered}, is kept, and the delivery is stopped`, async () => {
        const question = await revokedInFlight(shop)
        const answer = event && ({ ...event, inReplyTo: question.key } as OrderEvent)
        expect(await shop.completeClaim(question, answer, attemptResult, attemptReport(200))).toBe(
          'stopped',
        )
        expect(await findDelivery(shop, question.key)).toMatchObject({
          state: 'stopped',
          dueAt: null,
          attempts: [{ status: 200 }],
        })
        expect((await shop.read(question.orderRef)).state.cancellation).toBe('cancelled')
        expect(lanesOf(await shop.claim({ at: NOON + 200 * HOUR }))).not.toContain('cancel')
      })

    it('keeps its response if the step that it causes fails', async () => {
      const job = await actionInFlight(shop)
      const decide = () => E.left({ message: 'an internal error' })
      expect(
        await unwrap(
          shop.store.complete(job, { result: finishedAs(), decide, report: attemptReport(200) }),
        ),
      ).toBe('stuck')
      expect(await findDelivery(shop, job.key)).toMatchObject({
        state: 'stuck',
        dueAt: null,
        attempts: [{ outcome: 'accepted', status: 200 }],
      })
    })

    it('keeps its own outcome if the step of its result has set another status', async () => {
      const action = await actionInFlight(shop)
      const decide: CompletionDecide = (order) =>
        E.right({ step: unchanged(order), answer: { statusOverride: 'delivered' } })
      await unwrap(shop.store.complete(action, { result: finishedAs('exhausted'), decide }))
      expect(await findDelivery(shop, action.key)).toMatchObject({
        state: 'delivered',
        attempts: [{ outcome: 'error' }],
      })
    })

    it('without a report still has its outcome', async () => {
      const job = await actionInFlight(shop)
      await shop.completeClaim(job, null)
      expect((await findDelivery(shop, job.key)).attempts).toMatchObject([
        { outcome: 'accepted', status: null },
      ])
    })
  })
}
