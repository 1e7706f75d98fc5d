// Store contract: merchants and operators list, count and find orders.
import { findOrders, type OperatorTask, type Order, type OrderFilter } from '@plazo/core/internal'
import type { Runner } from './runner.ts'
import { aMerchant, finishedAs, HOUR, MINUTE, NOON, type StoreShop, unwrap } from './shop.ts'
import { attemptReport, confirmByIpn, retryAt } from './store-fixtures.ts'

export const ordersContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const refsOf = (orders: readonly Order[]): readonly string[] =>
    orders.map(({ placed }) => placed.orderRef)

  const search = (filter: OrderFilter = {}, from: number | null = null, limit = 1000) =>
    unwrap(shop.store.orders.search(filter, from, limit))

  /** All matching orders. They are counted as many. */
  const listRefs = async (filter: OrderFilter = {}): Promise<readonly string[]> => {
    const refs = refsOf((await search(filter)).orders)
    expect(await unwrap(shop.store.orders.count(filter))).toEqual({
      count: refs.length,
      isExact: true,
    })
    return refs
  }

  const findRefs = async (reference: string): Promise<readonly string[]> =>
    refsOf((await unwrap(findOrders(shop.store, 10)(reference))).orders)

  const beginningWith = (value: string) => listRefs({ text: { value, isWhole: false } })

  describe('orders', () => {
    it('come in pages, last placed first, each once, as their last step left them', async () => {
      expect(await search()).toEqual({ orders: [], next: null, lookedBackTo: null })
      const placed = [await shop.place(), await shop.place(aMerchant('other')), await shop.place()]
      const first = await search({}, null, 2)
      await shop.place()
      const second = await search({}, first.next, 2)
      expect(refsOf([...first.orders, ...second.orders])).toEqual(placed.toReversed())
      expect([first.next, second.next]).toEqual([expect.any(Number), null])
      await shop.submit(String(placed[0]))
      expect((await search()).orders.at(-1)).toEqual(await shop.read(String(placed[0])))
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
      const failing = await shop.placeConfirming()
      const well = await shop.placeConfirming(aMerchant('other'))
      const endIpn = async (ref: string, type: 'ipn.accepted' | 'ipn.erred', status: number) => {
        const ipn = await shop.claimOne(ref, 'ipn')
        expect(await listRefs({ isFailing: true })).not.toContain(ref)
        const result = type === 'ipn.erred' ? retryAt(shop.now() + MINUTE) : finishedAs('delivered')
        await shop.completeClaim(ipn, { type, inReplyTo: ipn.key }, result, attemptReport(status))
      }
      await endIpn(failing, 'ipn.erred', 500)
      await endIpn(well, 'ipn.accepted', 200)
      expect(await listRefs({ isFailing: true })).toEqual([failing])
      expect(await listRefs({ isFailing: true, merchantRef: 'other' })).toEqual([])
      shop.advance(25 * HOUR)
      await shop.work()
      expect(await listRefs({ isFailing: true, checkout: 'expired' })).toEqual([failing])
    })

    it('are found by the beginning of a reference in any case, of their uuid, and by their merchant', async () => {
      const first = await shop.place(aMerchant(), 'ÄRGER-ΟΔΟΣ/1')
      const second = await shop.place(aMerchant('ärger'), 'x\0\ud800')
      await shop.applyEvent(second, { type: 'references.given', first: null, second: '100 %_a' })
      expect(await beginningWith('ärger-οδος')).toEqual([first])
      expect(await beginningWith('ärger')).toEqual([second, first])
      const text = { value: 'ärger', isWhole: false }
      expect(await listRefs({ text, merchantRef: 'ärger' })).toEqual([])
      expect(await beginningWith('X\0')).toEqual([second])
      expect(await beginningWith('100 %_A')).toEqual([second])
      expect(await beginningWith('100 %%')).toEqual([])
      expect(await beginningWith(second.slice(0, 30))).toEqual([second, first])
      expect(await beginningWith(second.toUpperCase())).toEqual([second])
      expect(await beginningWith(second.replaceAll('-', ''))).toEqual([second])
      expect(await beginningWith(second.slice(0, 3))).toEqual([])
    })

    it('that wait for an operator are listed by their task, first placed first', async () => {
      const { orders } = shop.store
      const listWaiting = async (task: OperatorTask, after: number | null = null) =>
        (await unwrap(orders.waiting(task, null, after, 2))).map(({ order, ...rest }) => ({
          ref: order.placed.orderRef,
          ...rest,
        }))
      const placed = [await shop.place(), await shop.place(), await shop.place()]
      const [first = ''] = placed
      for (const ref of placed) await confirmByIpn(shop, ref)
      expect(await listWaiting('asked')).toEqual([])

      for (const ref of placed) await shop.applyEvent(ref, { type: 'cancellation.requested' })
      const since = shop.now()
      const page = await listWaiting('asked')
      expect(page).toMatchObject(placed.slice(0, 2).map((ref) => ({ ref, since })))
      expect(await listWaiting('asked', page[1]?.position)).toMatchObject([{ ref: placed[2] }])
      // A merchant who is asked once more later has been asked since the first time.
      shop.advance(HOUR)
      const questionOf = async (ref: string) => (await shop.read(ref)).context.pending.cancel ?? ''
      const deferred = { type: 'cancel.deferred', retryInMinutes: 5 } as const
      await shop.applyEvent(first, { ...deferred, inReplyTo: await questionOf(first) })
      expect((await listWaiting('asked'))[0]).toMatchObject({ ref: first, since })
      await shop.cancel(first)
      const [, second = ''] = placed
      const unsupported = {
        type: 'cancel.unsupported',
        inReplyTo: await questionOf(second),
      } as const
      await shop.applyEvent(second, unsupported)
      expect(await listWaiting('asked')).toMatchObject([{ ref: placed[2] }])
      expect(await listWaiting('unsupported')).toMatchObject([{ ref: second, since: shop.now() }])

      expect(await unwrap(orders.countWaiting('demo', 1))).toEqual(
        expect.arrayContaining([
          { task: 'asked', count: 1, isExact: true, since },
          { task: 'unsupported', count: 1, isExact: true, since: shop.now() },
        ]),
      )
      expect(await unwrap(orders.countWaiting('other', 1))).toEqual([])
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
