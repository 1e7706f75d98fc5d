// Store contract: merchants and operators list, count and find orders.
import {
  ANY_ORDER,
  findOrders,
  type OperatorTask,
  type Order,
  type OrderFilter,
} from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import { aMerchant, HOUR, MINUTE, NOON, type StoreShop, unwrap } from './shop.ts'
import { attemptReport } from './store-fixtures.ts'

export const ordersContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const refsOf = (orders: readonly Order[]): readonly string[] =>
    orders.map(({ placed }) => placed.orderRef)

  const search = (filter: Partial<OrderFilter> = {}, from: number | null = null, limit = 1000) =>
    unwrap(shop.store.orders.search({ ...ANY_ORDER, ...filter }, from, limit))

  /** All matching orders. They are counted as many. */
  const listRefs = async (filter: Partial<OrderFilter> = {}): Promise<readonly string[]> => {
    const refs = refsOf((await search(filter)).orders)
    expect(await unwrap(shop.store.orders.count({ ...ANY_ORDER, ...filter }))).toEqual({
      count: refs.length,
      isExact: true,
    })
    return refs
  }

  const findRefs = async (reference: string): Promise<readonly string[]> =>
    refsOf((await unwrap(findOrders(shop.store, 10)(reference))).orders)

  const beginningWith = (value: string) => listRefs({ text: { value, isWhole: false } })

  describe('orders', () => {
    it('come in pages, last placed first, each once', async () => {
      const placed = [await shop.place(), await shop.place(aMerchant('other')), await shop.place()]
      const first = await search({}, null, 2)
      await shop.place()
      const second = await search({}, first.next, 2)
      expect(refsOf([...first.orders, ...second.orders])).toEqual(placed.toReversed())
      expect([first.next, second.next]).toEqual([expect.any(Number), null])
    })

    it('are an empty list at first, and then as their last step left them', async () => {
      expect(await search()).toEqual({ orders: [], next: null, lookedBackTo: null })
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      expect((await search()).orders).toEqual([await shop.read(orderRef)])
    })

    it('are filtered by merchant, state or time, over as many pages as necessary', async () => {
      const early = await shop.place(aMerchant('other'))
      shop.advance(3 * HOUR)
      const many: string[] = []
      for (let placed = 0; placed < 410; placed++) many.unshift(await shop.place())
      const other = await shop.place(aMerchant('other'))
      await shop.submit(early)
      expect(await listRefs()).toEqual([other, ...many, early])
      expect(await listRefs({ merchantRef: 'other' })).toEqual([other, early])
      expect(refsOf((await search({ merchantRef: 'other' }, null, 1)).orders)).toEqual([other])
      expect(await listRefs({ checkout: 'verifying_phone' })).toEqual([early])
      const placedFrom = NOON + 3 * HOUR
      expect(await listRefs({ state: 'identifying', placedFrom })).toEqual([other, ...many])
      expect(await listRefs({ placedFrom: placedFrom + 1 })).toEqual([])
      expect(await listRefs({ placedTo: placedFrom })).toEqual([early])
      expect(await listRefs({ placedTo: NOON })).toEqual([])
      expect(await listRefs({ changedFrom: placedFrom })).toEqual([other, ...many, early])
    })

    it('are filtered by the states of each region, also by those that most orders have', async () => {
      const [confirmed, fresh] = [await shop.place(), await shop.place()]
      await shop.leadToConfirmation(confirmed)
      expect(await listRefs({ checkout: 'confirming' })).toEqual([confirmed])
      const ipn = await shop.claimOne(confirmed, 'ipn')
      await shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
      expect(await listRefs({ checkout: 'confirmed' })).toEqual([confirmed])
      expect(await listRefs({ state: 'confirmed', risk: 'low_risk' })).toEqual([])
      expect(await listRefs({ risk: 'unassessed' })).toEqual([fresh, confirmed])
      expect(await listRefs({ cancellation: 'none' })).toEqual([fresh, confirmed])
      await shop.applyEvent(confirmed, { type: 'cancellation.requested' })
      expect(await listRefs({ cancellation: 'asking', checkout: 'confirmed' })).toEqual([confirmed])
      await shop.cancel(confirmed)
      // Two regions have this state.
      expect(await listRefs({ state: 'cancelled' })).toEqual([confirmed])
      expect(await listRefs({ cancellation: 'asking' })).toEqual([])
      expect(await listRefs({ checkout: 'cancelled' })).toEqual([])
    })

    it('with failing deliveries are those whose merchant has not accepted one after an attempt', async () => {
      const [failing, well, stopped] = [
        await shop.place(),
        await shop.place(aMerchant('other')),
        await shop.place(),
      ]
      for (const ref of [failing, well, stopped]) await shop.leadToConfirmation(ref)
      expect(await listRefs({ isFailing: true })).toEqual([])
      for (const ref of [failing, well, stopped]) {
        const ipn = await shop.claimOne(ref, 'ipn')
        expect(await listRefs({ isFailing: true })).not.toContain(ref)
        await (ref === well
          ? shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
          : shop.completeClaim(
              ipn,
              { type: 'ipn.erred', inReplyTo: ipn.key },
              { type: 'retry', dueAt: shop.now() + MINUTE },
              attemptReport(500),
            ))
      }
      expect(await listRefs({ isFailing: true })).toEqual([stopped, failing])
      expect(await listRefs({ isFailing: true, merchantRef: 'other' })).toEqual([])
      shop.advance(MINUTE)
      await shop.claimOne(failing, 'ipn')
      expect(await listRefs({ isFailing: true })).toEqual([stopped, failing])
      shop.advance(25 * HOUR)
      await shop.work()
      expect(await listRefs({ isFailing: true, checkout: 'expired' })).toContain(stopped)
    })

    it('are found by the beginning of a reference in any case, of their uuid, and by their merchant', async () => {
      const first = await shop.place(aMerchant(), 'ÄRGER-ΟΔΟΣ/1')
      const second = await shop.place(aMerchant('ärger'), 'x\0\ud800')
      await shop.applyEvent(second, { type: 'references.given', first: null, second: '100 %_a' })
      expect(await beginningWith('ärger-οδος')).toEqual([first])
      expect(await beginningWith('ärger')).toEqual([second, first])
      expect(await beginningWith('X\0')).toEqual([second])
      expect(await beginningWith('100 %_A')).toEqual([second])
      expect(await beginningWith('100 %%')).toEqual([])
      expect(await beginningWith(second.slice(0, 30))).toEqual([second, first])
      expect(await beginningWith(second.toUpperCase())).toEqual([second])
      expect(await beginningWith(second.replaceAll('-', ''))).toEqual([second])
      expect(await beginningWith(second.slice(0, 3))).toEqual([])
    })

    it('are found by a reference that is longer than what lists search by', async () => {
      const long = 'ñ'.repeat(3_000)
      const placed = [
        await shop.place(aMerchant(), `${long}1`),
        await shop.place(aMerchant(), long),
      ]
      expect(refsOf((await search({ text: { value: long, isWhole: false } })).orders)).toEqual(
        placed.toReversed(),
      )
      expect(await findRefs(`${long}1`)).toEqual([placed[0]])
    })

    it('that wait for an operator are listed by their task, first placed first', async () => {
      const listWaiting = async (why: OperatorTask, after: number | null = null, limit = 10) => {
        const waiting = await unwrap(shop.store.orders.waiting(why, null, after, limit))
        return {
          refs: refsOf(waiting.map(({ order }) => order)),
          since: waiting.map(({ since }) => since),
          positions: waiting.map(({ position }) => position),
        }
      }
      const nobody = { refs: [], since: [], positions: [] }
      const others: string[] = []
      for (let placed = 0; placed < 3; placed++) others.push(await shop.place())
      const orderRef = await shop.place()
      for (const ref of [...others, orderRef]) await shop.leadToConfirmation(ref)
      expect(await listWaiting('review')).toEqual(nobody)
      for (const { key, orderRef: ref } of await shop.claimDeliveries())
        if (key.endsWith(':ipn'))
          await shop.applyEvent(ref, { type: 'ipn.accepted', inReplyTo: key })
      expect((await shop.read(orderRef)).state.checkout).toBe('confirmed')
      expect(await listWaiting('asked')).toEqual(nobody)

      shop.advance(HOUR)
      await shop.applyEvent(orderRef, { type: 'cancellation.requested' })
      expect(await listWaiting('asked')).toMatchObject({
        refs: [orderRef],
        since: [NOON + HOUR],
      })
      // If the merchant is asked once more later, the order still counts as waiting since the first
      // time.
      shop.advance(HOUR)
      const question = (await shop.read(orderRef)).context.pending.cancel ?? ''
      await shop.applyEvent(orderRef, {
        type: 'cancel.deferred',
        inReplyTo: question,
        retryInMinutes: 5,
      })
      expect((await listWaiting('asked')).since).toEqual([NOON + HOUR])
      await shop.cancel(orderRef)
      expect(await listWaiting('asked')).toEqual(nobody)

      for (const ref of others) await shop.applyEvent(ref, { type: 'cancellation.requested' })
      const first = await listWaiting('asked', null, 2)
      expect(first.refs).toEqual(others.slice(0, 2))
      const [before = 0, last = 0] = first.positions
      expect((await listWaiting('asked', last, 2)).refs).toEqual(others.slice(2))
      expect((await listWaiting('asked', before, 2)).refs).toEqual(others.slice(1))
      const [one = ''] = others
      const key = (await shop.read(one)).context.pending.cancel ?? ''
      await shop.applyEvent(one, { type: 'cancel.unsupported', inReplyTo: key })
      expect(await listWaiting('unsupported')).toMatchObject({
        refs: [one],
        since: [shop.now()],
      })
      expect((await listWaiting('asked')).refs).toEqual(others.slice(1))

      const { orders } = shop.store
      const since = shop.now()
      expect(await unwrap(orders.countWaiting('demo', 2))).toEqual(
        expect.arrayContaining([
          { task: 'asked', count: 2, isExact: true, since },
          { task: 'unsupported', count: 1, isExact: true, since },
        ]),
      )
      expect(await unwrap(orders.countWaiting(null, 1))).toEqual(
        expect.arrayContaining([
          { task: 'asked', count: 1, isExact: false, since },
          { task: 'unsupported', count: 1, isExact: true, since },
        ]),
      )
      expect(await unwrap(orders.countWaiting('other', 1))).toEqual([])
      expect(await unwrap(orders.waiting('asked', 'demo', null, 10))).toHaveLength(2)
      expect(await unwrap(orders.waiting('asked', 'other', null, 10))).toEqual([])
    })

    it('are found by their uuid and by their references in any case, no matter which one holds them', async () => {
      const [ours, theirs, unheld, again] = [
        await shop.place(aMerchant(), 'A/1'),
        await shop.place(aMerchant('other'), 'A/1'),
        await shop.place(aMerchant(), 'A/2'),
        await shop.place(aMerchant(), 'A/2'),
      ]
      for (const orderRef of [ours, theirs]) await shop.leadToConfirmation(orderRef)
      expect(await findRefs(ours)).toEqual([ours])
      expect(await findRefs(ours.toUpperCase())).toEqual([ours])
      expect(await findRefs('A/1')).toEqual([theirs, ours])
      expect(await findRefs('a/1')).toEqual([theirs, ours])
      // No order holds this reference, because none of them is being confirmed.
      expect(await findRefs('A/2')).toEqual([again, unheld])
      expect(await findRefs('A/3')).toEqual([])
      expect(await findRefs(unheld)).toEqual([unheld])
      expect(await findRefs('')).toEqual([])
    })
  })
}
