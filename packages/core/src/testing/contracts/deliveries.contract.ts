// The part of the store's contract that is about deliveries: every attempt is seen, and what was sent is sent again.
import {
  type Conclusion,
  type Delivery,
  type DeliveryFilter,
  type DeliveryPage,
  type Entry,
  listDeliveries,
  type OrderEvent,
  type Report,
  recoverDeliveries,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { aMerchant, CODE, ended, given, HOUR, lanesOf, MINUTE, NOON, SECOND, type Shop } from './shop.ts'

type Opened = { readonly shop: Shop; readonly advanceRealTime?: (millis: number) => void }

const heard = (status: number, own: Partial<Report> = {}): Report => ({
  durationMillis: 12,
  status,
  error: status < 300 ? null : 'unaccepted_status',
  response: null,
  ...own,
})

const again = (dueAt: number) => ({ type: 'again', dueAt }) as const

export const deliveriesContract = (opened: () => Opened) => {
  const list = ({ store }: Shop, own: Partial<DeliveryFilter> = {}): Promise<readonly Delivery[]> =>
    given(store.deliveries.list({ merchantRef: 'demo', orderRef: null, state: null, before: null, limit: 100, ...own }))

  const found = ({ store }: Shop, id: string): Promise<Delivery> => given(store.deliveries.find('demo', id))

  const resend = ({ store, now }: Shop, id: string): Promise<void> => given(store.deliveries.resend('demo', id, now()))

  const recover = ({ host }: Shop, since: number, limit = 100): Promise<number> =>
    given(recoverDeliveries(host)({ merchantRef: 'demo', since, limit }))

  /** The order's first action event, in flight. */
  const actionInFlight = async (shop: Shop, asking = {}): Promise<Entry> => {
    const orderRef = await shop.place()
    await shop.submit(orderRef)
    return shop.claimOne(orderRef, 'action', asking)
  }

  const actionEndedAs = async (shop: Shop, as: Parameters<typeof ended>[0]): Promise<string> => {
    const { key, ...entry } = await actionInFlight(shop)
    await shop.settle({ key, ...entry }, null, ended(as), heard(as === 'delivered' ? 200 : 500))
    return key
  }

  describe('an attempt of a delivery', () => {
    it('is there from the claim on, and completed by what came of it', async () => {
      const { shop } = opened()
      const { key, ...entry } = await actionInFlight(shop, { at: NOON + 5 })
      const inFlight = { n: 1, trigger: 'schedule', startedAt: NOON + 5, durationMillis: null, outcome: null }
      expect(await found(shop, key)).toEqual({
        id: key,
        event: 'identification_action',
        orderRef: entry.orderRef,
        state: 'pending',
        dueAt: NOON,
        attempts: [{ ...inFlight, status: null, error: null, response: null }],
      })
      await shop.settle({ key, ...entry }, null, ended(), heard(200, { response: 'ñ ok' }))
      expect(await found(shop, key)).toMatchObject({
        state: 'delivered',
        dueAt: null,
        attempts: [
          { ...inFlight, outcome: 'accepted', durationMillis: 12, status: 200, error: null, response: 'ñ ok' },
        ],
      })
    })

    it('that fails stands beside the next, due when its schedule says', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      const timeout: Report = { durationMillis: 30_000, status: null, error: 'timeout', response: null }
      await shop.settle(first, null, again(NOON + 10 * SECOND), timeout)
      expect(await found(shop, first.key)).toMatchObject({ state: 'pending', dueAt: NOON + 10 * SECOND })
      const second = await shop.claimOne(first.orderRef, 'action', { at: NOON + 10 * SECOND })
      await shop.settle(second, null, ended('exhausted'), heard(503))
      expect(await found(shop, first.key)).toMatchObject({
        state: 'exhausted',
        dueAt: null,
        attempts: [
          { n: 1, outcome: 'error', ...timeout },
          { n: 2, outcome: 'error', startedAt: NOON + 10 * SECOND, status: 503 },
        ],
      })
    })

    it('is lost once its lease has passed on, and the next one says so', async () => {
      const { shop } = opened()
      const late = await actionInFlight(shop, { lease: 0 })
      expect((await found(shop, late.key)).attempts).toMatchObject([{ n: 1, outcome: null }])
      const current = await shop.claimOne(late.orderRef, 'action')
      expect(await shop.settle(late, null, ended(), heard(200))).toBe('lost')
      await shop.settle(current, null, ended(), heard(200))
      expect((await found(shop, late.key)).attempts).toMatchObject([
        { n: 1, outcome: 'lost', status: null, durationMillis: null },
        { n: 2, outcome: 'accepted', status: 200 },
      ])
    })

    it('is lost when its claim is given back', async () => {
      const { shop } = opened()
      const entry = await actionInFlight(shop)
      await given(shop.store.release([entry], 'begun'))
      expect(await found(shop, entry.key)).toMatchObject({ state: 'pending', attempts: [{ outcome: 'lost' }] })
    })

    it('is none where its claim is given back before it was begun', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await given(shop.store.release([first], 'unbegun'))
      expect(await found(shop, first.key)).toMatchObject({ state: 'pending', dueAt: NOON, attempts: [] })
      shop.advance(HOUR)
      const next = await shop.claimOne(first.orderRef, 'action')
      expect(next).toEqual({ ...first, firstAt: NOON + HOUR, startedAt: NOON + HOUR, token: expect.any(String) })
      expect((await found(shop, first.key)).attempts).toMatchObject([{ n: 1, trigger: 'schedule' }])
    })

    it('that was asked for and not begun is asked for still', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await shop.settle(first, null, again(NOON + HOUR), heard(500))
      await resend(shop, first.key)
      const second = await shop.claimOne(first.orderRef, 'action')
      await given(shop.store.release([second], 'unbegun'))
      const third = await shop.claimOne(first.orderRef, 'action')
      expect(third).toEqual({ ...second, token: expect.any(String) })
      expect((await found(shop, first.key)).attempts).toMatchObject([
        { n: 1, trigger: 'schedule', outcome: 'error' },
        { n: 2, trigger: 'resend', outcome: null },
      ])
      expect(await shop.settle(second, null)).toBe('lost')
      expect(await shop.settle(third, null)).toBe('settled')
    })

    it('beside what has ended, given back before it was begun, is the next one once more', async () => {
      const { shop } = opened()
      const id = await actionEndedAs(shop, 'delivered')
      await resend(shop, id)
      const [once] = await shop.claim({ work: 0 })
      if (once === undefined) throw new Error('Nothing is due.')
      await given(shop.store.release([once], 'unbegun'))
      expect((await found(shop, id)).attempts).toMatchObject([{ n: 1 }])
      expect(await shop.claim({ work: 0 })).toEqual([{ ...once, token: expect.any(String) }])
      expect((await found(shop, id)).attempts).toMatchObject([{ n: 1 }, { n: 2, trigger: 'resend', outcome: null }])
    })

    it('of what was withdrawn before it was begun is none, and the delivery is stopped', async () => {
      const { shop } = opened()
      const orderRef = await shop.place()
      await shop.lead(orderRef)
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await shop.settle(ipn, { type: 'ipn.accepted', answers: ipn.key })
      await shop.tell(orderRef, { type: 'cancellation.requested' })
      const question = await shop.claimOne(orderRef, 'cancel')
      await shop.cancel(orderRef)
      await given(shop.store.release([question], 'unbegun'))
      expect(await found(shop, question.key)).toMatchObject({ state: 'stopped', dueAt: null, attempts: [] })
    })

    it('with an error that settles the order is of a delivery that is delivered, where it was answered', async () => {
      const { shop } = opened()
      for (const [report, state] of [
        [heard(500), 'delivered'],
        [heard(500, { status: null, error: 'timeout' }), 'stopped'],
      ] as const) {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.putConfirmed(orderRef)
        await shop.settle(ipn, { type: 'ipn.erred', answers: ipn.key }, again(NOON + SECOND), report)
        expect((await shop.read(orderRef)).state.checkout).toBe('confirmed')
        const { status } = report
        expect(await found(shop, ipn.key)).toMatchObject({
          state,
          dueAt: null,
          attempts: [{ outcome: 'error', status }],
        })
      }
    })

    it.each<[string, OrderEvent | null, Conclusion]>([
      ['done', { type: 'cancel.agreed', answers: '' }, ended()],
      ['put off', { type: 'cancel.deferred', answers: '', retryInMinutes: 1 }, ended()],
      ['not done by this merchant', { type: 'cancel.unsupported', answers: '' }, ended('unsupported')],
      ['an error', null, again(NOON + SECOND)],
    ])(
      'of what was withdrawn meanwhile, answered as %s, is kept; the delivery is stopped',
      async (_, event, conclusion) => {
        const { shop } = opened()
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.settle(ipn, { type: 'ipn.accepted', answers: ipn.key })
        await shop.tell(orderRef, { type: 'cancellation.requested' })
        const question = await shop.claimOne(orderRef, 'cancel')
        await shop.cancel(orderRef)
        const answer = event && ({ ...event, answers: question.key } as OrderEvent)
        expect(await shop.settle(question, answer, conclusion, heard(200))).toBe('settled')
        expect(await found(shop, question.key)).toMatchObject({
          state: 'stopped',
          dueAt: null,
          attempts: [{ status: 200 }],
        })
        expect((await shop.read(orderRef)).state.cancellation).toBe('cancelled')
        expect(lanesOf(await shop.claim({ at: NOON + 200 * HOUR }))).not.toContain('cancel')
      },
    )

    it('keeps its answer where the step that it causes cannot be made', async () => {
      const { shop } = opened()
      const entry = await actionInFlight(shop)
      const fault = () => E.left({ message: 'a fault of ours' })
      expect(await given(shop.store.settle(entry, ended(), fault, heard(200)))).toBe('stuck')
      expect(await found(shop, entry.key)).toMatchObject({
        state: 'stuck',
        dueAt: null,
        attempts: [{ outcome: 'accepted', status: 200 }],
      })
    })

    it('without a report says at least how it ended', async () => {
      const { shop } = opened()
      const entry = await actionInFlight(shop)
      await shop.settle(entry, null)
      expect((await found(shop, entry.key)).attempts).toMatchObject([{ outcome: 'accepted', status: null }])
    })
  })

  describe('deliveries', () => {
    it('come in pages from the newest back, each once, whatever is made meanwhile', async () => {
      const { shop } = opened()
      const made: string[] = []
      const submitted = async (merchant = aMerchant()): Promise<void> => {
        const orderRef = await shop.place(merchant)
        await shop.submit(orderRef)
        if (merchant.ref === 'demo') made.push(orderRef)
      }
      for (let count = 0; count < 7; count++) {
        await submitted()
        await submitted(aMerchant('other'))
      }
      const before = [...made]
      const pages: (readonly string[])[] = []
      for (let next: string | null = null; pages.length === 0 || next !== null; ) {
        const filter = { merchantRef: 'demo', orderRef: null, state: null, before: next, limit: 3 }
        const page: DeliveryPage = await given(listDeliveries(shop.store)(filter))
        pages.unshift(page.deliveries.map(({ orderRef }) => orderRef))
        next = page.next
        await submitted()
      }
      expect(pages).toEqual([before.slice(0, 1), before.slice(1, 4), before.slice(4)])
    })

    it('come in pages of a state or an order alone too', async () => {
      const { shop } = opened()
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      await shop.submit(await shop.place())
      await shop.submit(orderRef, { validation_code: CODE })
      const all = await list(shop)
      const [first, , third] = all
      expect(all).toHaveLength(3)
      expect(await list(shop, { before: third?.id ?? '' })).toEqual(all.slice(0, 2))
      expect(await list(shop, { before: third?.id ?? '', limit: 1 })).toEqual(all.slice(1, 2))
      expect(await list(shop, { before: third?.id ?? '', orderRef })).toEqual([first])
      expect(await list(shop, { before: third?.id ?? '', state: 'delivered' })).toEqual([])
      expect(await list(shop, { before: third?.id ?? '', state: 'pending' })).toEqual(all.slice(0, 2))
      expect(await list(shop, { before: first?.id ?? '' })).toEqual([])
    })

    it('before one that the merchant does not have are refused', async () => {
      const { shop } = opened()
      await shop.submit(await shop.place(aMerchant('other')))
      const [theirs] = await list(shop, { merchantRef: 'other' })
      for (const before of [theirs?.id ?? '', 'nothing', ''])
        expect(
          await shop.store.deliveries.list({ merchantRef: 'demo', orderRef: null, state: null, before, limit: 1 })(),
        ).toEqual(E.left({ _tag: 'DeliveryUnknown' }))
    })

    it('are listed newest last, of every order of the merchant, and nothing else is', async () => {
      const { shop } = opened()
      const [first, second] = [await shop.place(), await shop.place()]
      await shop.submit(first)
      await shop.submit(await shop.place(aMerchant('other')))
      await shop.lead(second)
      const listed = await list(shop)
      expect(listed.map(({ orderRef, event, state }) => [orderRef, event, state])).toEqual([
        [first, 'identification_action', 'pending'],
        ...['identification_action', 'identification_action', 'identification_action'].map((event) => [
          second,
          event,
          'pending',
        ]),
        [second, 'ipn', 'pending'],
        ...listed.slice(5).map(({ event }) => [second, event, 'pending']),
      ])
      expect(listed.every(({ id, orderRef }) => id.startsWith(`${orderRef}:`))).toBe(true)
      expect(await list(shop, { merchantRef: 'nobody' })).toEqual([])
    })

    it('are listed by order, by state and by both, and only the newest of them', async () => {
      const { shop } = opened()
      const delivered = await actionEndedAs(shop, 'delivered')
      const exhausted = await actionEndedAs(shop, 'exhausted')
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      await shop.submit(orderRef, { validation_code: CODE })
      const ids = async (filter: Partial<DeliveryFilter>) => (await list(shop, filter)).map(({ id }) => id)
      const pending = [`${orderRef}:2:action`, `${orderRef}:3:action`]
      expect(await ids({ state: 'pending' })).toEqual(pending)
      expect(await ids({ state: 'delivered' })).toEqual([delivered])
      expect(await ids({ state: 'exhausted' })).toEqual([exhausted])
      expect(await ids({ state: 'stuck' })).toEqual([])
      expect(await ids({ orderRef })).toEqual(pending)
      expect(await ids({ orderRef, state: 'delivered' })).toEqual([])
      expect(await ids({ orderRef: 'nobody' })).toEqual([])
      expect(await ids({ orderRef, merchantRef: 'other' })).toEqual([])
      expect(await ids({ limit: 3 })).toEqual([exhausted, ...pending])
      expect(await ids({ orderRef, limit: 1 })).toEqual(pending.slice(1))
    })

    it('are known by their id alone, and to their merchant alone', async () => {
      const { shop } = opened()
      const { key, orderRef } = await actionInFlight(shop)
      const { deliveries } = shop.store
      const unknown = E.left({ _tag: 'DeliveryUnknown' })
      for (const id of [
        '',
        'nobody',
        `${orderRef}:9:action`,
        `${orderRef}:2:sms`,
        `${key}:`,
        `${orderRef}:2`,
        `x:${key}`,
      ]) {
        expect(await deliveries.find('demo', id)()).toEqual(unknown)
        expect(await deliveries.resend('demo', id, NOON)()).toEqual(unknown)
      }
      expect(await deliveries.find('other', key)()).toEqual(unknown)
      expect(await deliveries.resend('other', key, NOON)()).toEqual(unknown)
      expect((await found(shop, key)).id).toBe(key)
    })
  })

  describe('a resend', () => {
    it('of a pending delivery is its next attempt, now, and leaves its schedule anchored', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await shop.settle(first, null, again(NOON + HOUR), heard(500))
      shop.advance(SECOND)
      expect(await shop.claim({ work: 0 })).toEqual([])
      await resend(shop, first.key)
      expect(await found(shop, first.key)).toMatchObject({ state: 'pending', dueAt: NOON + SECOND })
      const [second] = await shop.claim({ work: 0 })
      expect(second).toEqual({ ...first, attempt: 2, startedAt: NOON + SECOND, token: expect.any(String) })
      if (second !== undefined) await shop.settle(second, null, again(NOON + 2 * HOUR), heard(500))
      expect(await shop.claim({ work: 0, at: NOON + 2 * HOUR - 1 })).toEqual([])
      await shop.claimOne(first.orderRef, 'action', { at: NOON + 2 * HOUR })
      expect((await found(shop, first.key)).attempts.map(({ n, trigger }) => [n, trigger])).toEqual([
        [1, 'schedule'],
        [2, 'resend'],
        [3, 'schedule'],
      ])
    })

    it('of one that waits in its lane keeps its turn, and makes what stands before it due', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await shop.submit(first.orderRef, { validation_code: CODE })
      await shop.settle(first, null, again(NOON + HOUR), heard(500))
      const behind = `${first.orderRef}:3:action`
      await resend(shop, behind)
      const [head] = await shop.claim({ work: 0 })
      expect(head?.key).toBe(first.key)
      if (head !== undefined) await shop.settle(head, null, ended(), heard(200))
      expect((await shop.claimOne(first.orderRef, 'action')).key).toBe(behind)
      expect((await found(shop, behind)).attempts).toMatchObject([{ n: 1, trigger: 'resend' }])
      expect((await found(shop, first.key)).attempts).toMatchObject([{ trigger: 'schedule' }, { trigger: 'schedule' }])
    })

    it('of one in flight is its next attempt, at once where this one fails', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await resend(shop, first.key)
      expect(await shop.claim({ work: 0 })).toEqual([])
      await shop.settle(first, null, again(NOON + HOUR), heard(500))
      const [second] = await shop.claim({ work: 0 })
      expect(second?.key).toBe(first.key)
      if (second !== undefined) await shop.settle(second, null, ended(), heard(200))
      expect((await found(shop, first.key)).attempts).toMatchObject([{ trigger: 'schedule' }, { trigger: 'resend' }])
      expect(await shop.claim({ work: 0, at: NOON + 999 * HOUR })).toEqual([])
    })

    const endings = ['delivered', 'exhausted', 'stopped', 'unsupported'] as const
    for (const ending of endings)
      it(`of one that is ${ending} sends it once more, the same to the key`, async () => {
        const { shop } = opened()
        const id = await actionEndedAs(shop, ending)
        shop.advance(HOUR)
        await resend(shop, id)
        expect(await found(shop, id)).toMatchObject({ state: ending, dueAt: null })
        const [entry] = await shop.claim({ work: 0 })
        expect(entry).toMatchObject({ key: id, lane: 'action', attempt: 2, firstAt: NOON, startedAt: NOON + HOUR })
        expect(entry?.work).toMatchObject({ kind: 'event', event: 'identification_action' })
        if (entry !== undefined) await shop.settle(entry, null, again(NOON + 2 * HOUR), heard(500))
        expect(await found(shop, id)).toMatchObject({
          state: ending,
          dueAt: null,
          attempts: [
            { n: 1, trigger: 'schedule' },
            { n: 2, trigger: 'resend', outcome: 'error', status: 500 },
          ],
        })
        expect(await shop.claim({ work: 0, at: NOON + 999 * HOUR })).toEqual([])
      })

    it('that is accepted makes a delivery delivered, and one that is not leaves it delivered', async () => {
      const { shop } = opened()
      const id = await actionEndedAs(shop, 'exhausted')
      const states: string[] = []
      for (const [as, status] of [
        ['unsupported', 501],
        ['delivered', 200],
        ['unsupported', 501],
        ['exhausted', 500],
      ] as const) {
        await resend(shop, id)
        const [entry] = await shop.claim({ work: 0 })
        if (entry !== undefined) await shop.settle(entry, null, ended(as), heard(status))
        states.push((await found(shop, id)).state)
      }
      expect(states).toEqual(['unsupported', 'delivered', 'delivered', 'delivered'])
      const { attempts } = await found(shop, id)
      expect(attempts.map(({ n, status }) => [n, status])).toEqual([
        [1, 500],
        [2, 501],
        [3, 200],
        [4, 501],
        [5, 500],
      ])
    })

    it('beside the lane holds nothing up there, and waits for nothing', async () => {
      const { shop } = opened()
      const first = await actionInFlight(shop)
      await shop.settle(first, null, ended(), heard(200))
      await shop.submit(first.orderRef, { validation_code: CODE })
      await resend(shop, first.key)
      const taken = await shop.claim({ work: 0 })
      expect(taken.map(({ key }) => key).sort()).toEqual([first.key, `${first.orderRef}:3:action`])
    })

    it('asked for twice before it was sent is sent once, and once it was, again', async () => {
      const { shop } = opened()
      const id = await actionEndedAs(shop, 'delivered')
      await resend(shop, id)
      await resend(shop, id)
      const [entry, ...others] = await shop.claim({ work: 0 })
      expect(others).toEqual([])
      if (entry !== undefined) await shop.settle(entry, null, ended(), heard(200))
      expect(await shop.claim({ work: 0 })).toEqual([])
      await resend(shop, id)
      expect(await shop.claim({ work: 0 })).toHaveLength(1)
    })

    it('counts among what its merchant may have in flight', async () => {
      const { shop } = opened()
      const ids = [await actionEndedAs(shop, 'exhausted'), await actionEndedAs(shop, 'exhausted')]
      for (const id of ids) await resend(shop, id)
      expect(await shop.claim({ work: 0, perMerchant: 1 })).toHaveLength(1)
      expect(await shop.claim({ work: 0, perMerchant: 1 })).toEqual([])
    })

    it('whose lease passes on is sent again, for nobody knows whether it arrived', async () => {
      const { shop } = opened()
      const id = await actionEndedAs(shop, 'exhausted')
      await resend(shop, id)
      const [late] = await shop.claim({ work: 0, lease: 0 })
      const [current] = await shop.claim({ work: 0 })
      if (late === undefined || current === undefined) throw new Error('Nothing is due.')
      expect(await shop.settle(late, null, ended(), heard(200))).toBe('lost')
      await shop.settle(current, null, ended(), heard(200))
      expect(await found(shop, id)).toMatchObject({
        state: 'delivered',
        attempts: [{ n: 1 }, { n: 2, trigger: 'resend', outcome: 'lost' }, { n: 3, trigger: 'resend' }],
      })
    })

    it('of a stuck one lets its answer count, for the order still awaits it', async () => {
      const { shop } = opened()
      const orderRef = await shop.place()
      await shop.lead(orderRef)
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await given(shop.store.settle(ipn, ended(), () => E.left({ message: 'a fault of ours' }), heard(200)))
      await resend(shop, ipn.key)
      const entry = await shop.claimOne(orderRef, 'ipn')
      await shop.settle(entry, { type: 'ipn.accepted', answers: ipn.key }, ended(), heard(200))
      expect((await shop.read(orderRef)).state.checkout).toBe('confirmed')
      expect((await found(shop, ipn.key)).state).toBe('delivered')
      expect(await given(shop.store.stuck())).toEqual([])
    })

    it.each(['accepted', 'stuck'])('of one that is back in its lane meanwhile leaves it there: %s', async (came) => {
      const { shop } = opened()
      const parked = await actionInFlight(shop)
      await given(shop.store.settle(parked, ended(), () => E.left({ message: 'a fault' }), heard(200)))
      await resend(shop, parked.key)
      const beside = await shop.claimOne(parked.orderRef, 'action')
      await given(shop.store.unpark(parked.key, shop.now()))
      await shop.submit(parked.orderRef, { validation_code: CODE })
      const decide = came === 'stuck' ? () => E.left({ message: 'a fault' }) : null
      await given(shop.store.settle(beside, ended(), decide, heard(200)))
      expect((await found(shop, parked.key)).state).toBe('pending')
      expect(await given(shop.store.stuck())).toEqual([])
      const first = await shop.claimOne(parked.orderRef, 'action')
      expect([first.key, first.isResend]).toEqual([parked.key, false])
      await shop.settle(first, null)
      expect((await shop.claimOne(parked.orderRef, 'action')).key).not.toBe(parked.key)
    })

    it.each([0, MINUTE])('of one that comes back into its lane %i ms later is an attempt of its own', async (later) => {
      const { shop } = opened()
      const parked = await actionInFlight(shop)
      await given(shop.store.settle(parked, ended(), () => E.left({ message: 'a fault' }), heard(200)))
      await resend(shop, parked.key)
      shop.advance(later)
      await given(shop.store.unpark(parked.key, shop.now()))
      const claimed = [...(await shop.claim()), ...(await shop.claim())].filter(({ key }) => key === parked.key)
      expect(claimed.map(({ attempt }) => attempt).toSorted()).toEqual([2, 3])
      // Both are in flight, and each is completed by its own answer, whichever comes first.
      const attemptsOf = async () => (await found(shop, parked.key)).attempts.map(({ n, status }) => [n, status])
      expect(await attemptsOf()).toEqual([
        [1, 200],
        [2, null],
        [3, null],
      ])
      const [later3, earlier2] = claimed.toSorted((a, b) => b.attempt - a.attempt)
      if (later3 === undefined || earlier2 === undefined) throw new Error('Two were not in flight.')
      await shop.settle(later3, null, again(shop.now() + MINUTE), heard(503))
      await shop.settle(earlier2, null, again(shop.now() + MINUTE), heard(502))
      expect(await attemptsOf()).toEqual([
        [1, 200],
        [2, 502],
        [3, 503],
      ])
    })

    it('whose own step cannot be made makes the delivery stuck', async () => {
      const { shop } = opened()
      const id = await actionEndedAs(shop, 'delivered')
      await resend(shop, id)
      const [entry] = await shop.claim({ work: 0 })
      if (entry === undefined) throw new Error('Nothing is due.')
      await given(shop.store.settle(entry, ended(), () => E.left({ message: 'a fault of ours' }), heard(200)))
      expect((await found(shop, id)).state).toBe('stuck')
      expect(await given(shop.store.stuck())).toEqual([
        { key: id, orderRef: entry.orderRef, message: 'a fault of ours' },
      ])
      expect(await shop.claim({ work: 0, at: NOON + 999 * HOUR })).toEqual([])
    })

    it('is answered to an order that awaits it no more, which it changes nothing of', async () => {
      const { shop } = opened()
      const orderRef = await shop.place()
      await shop.lead(orderRef)
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await shop.settle(ipn, { type: 'ipn.conflicted', answers: ipn.key }, ended(), heard(409))
      await resend(shop, ipn.key)
      const before = await shop.read(orderRef)
      const accepted: OrderEvent = { type: 'ipn.accepted', answers: ipn.key }
      await shop.settle(await shop.claimOne(orderRef, 'ipn'), accepted, ended(), heard(200))
      const after = await shop.read(orderRef)
      expect(after.state).toEqual(before.state)
      expect((await shop.journal(orderRef)).at(-1)?.detail).toBe('nobody awaits it: changes nothing')
    })

    it('is not withdrawn with its lane', async () => {
      const { shop } = opened()
      const orderRef = await shop.place()
      await shop.lead(orderRef)
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await shop.settle(ipn, null, ended('exhausted'), heard(500))
      await resend(shop, ipn.key)
      await shop.putConfirmed(orderRef)
      expect(lanesOf(await shop.claim({ work: 0 }))).toContain('ipn')
    })
  })

  describe('recover', () => {
    it('sends again what is pending or exhausted, and nothing that was accepted, stopped or is stuck', async () => {
      const { shop } = opened()
      const exhausted = await actionEndedAs(shop, 'exhausted')
      for (const ending of ['delivered', 'stopped', 'unsupported'] as const) await actionEndedAs(shop, ending)
      const stuck = await actionInFlight(shop)
      await given(shop.store.settle(stuck, ended(), () => E.left({ message: 'a fault' }), heard(200)))
      const pending = await actionInFlight(shop)
      await shop.settle(pending, null, again(NOON + HOUR), heard(500))
      shop.advance(MINUTE)
      expect(await recover(shop, NOON)).toBe(2)
      const entries = await shop.claim({ work: 0 })
      expect(entries.map(({ key }) => key).sort()).toEqual([exhausted, pending.key].sort())
      expect((await found(shop, exhausted)).attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'recover'])
      expect((await found(shop, pending.key)).attempts.map(({ trigger }) => trigger)).toEqual(['schedule', 'recover'])
    })

    it('leaves alone what was last tried before', async () => {
      const { shop } = opened()
      await actionEndedAs(shop, 'exhausted')
      shop.advance(HOUR)
      const late = await actionEndedAs(shop, 'exhausted')
      expect(await recover(shop, NOON + 1)).toBe(1)
      expect((await shop.claim({ work: 0 })).map(({ key }) => key)).toEqual([late])
      expect(await recover(shop, NOON + 2 * HOUR)).toBe(0)
    })

    it('takes what was never tried by when it was made', async () => {
      const { shop } = opened()
      await shop.submit(await shop.place())
      expect(await recover(shop, NOON + 1)).toBe(0)
      expect(await recover(shop, NOON)).toBe(1)
    })

    it('goes on page by page to the end, and tells how far it is', async () => {
      const { shop } = opened()
      for (let count = 0; count < 5; count++) await actionEndedAs(shop, count === 2 ? 'stopped' : 'exhausted')
      const told: number[] = []
      const counted = recoverDeliveries(shop.host)({
        merchantRef: 'demo',
        since: NOON,
        limit: 2,
        onProgress: async (count) => void told.push(count),
      })
      expect(await given(counted)).toBe(4)
      expect(told).toEqual([2, 3, 4])
      expect(await shop.claim({ work: 0 })).toHaveLength(4)
    })

    it('touches no other merchant’s', async () => {
      const { shop } = opened()
      await actionEndedAs(shop, 'exhausted')
      expect(await given(recoverDeliveries(shop.host)({ merchantRef: 'other', since: 0 }))).toBe(0)
      expect(await shop.claim({ work: 0 })).toEqual([])
    })
  })
}
