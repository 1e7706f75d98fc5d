// Store contract: an operator can list and find orders.
import {
  findOrders,
  listOrders,
  type OperatorTask,
  type Order,
  type OrderFilter,
} from '@plazo/core'
import type { Merchants } from '@plazo/core/ports'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { aMerchant, HOUR, NOON, type StoreShop, unwrap } from './shop.ts'

// Finding an order by its reference needs only the list of merchants.
const merchants = {
  list: () => TE.right([aMerchant(), aMerchant('other')]),
} as unknown as Merchants

export const ordersContract = (shop: StoreShop) => {
  const refsOf = (orders: readonly Order[]): readonly string[] =>
    orders.map(({ placed }) => placed.orderRef)

  const listRefs = async (expected: Partial<OrderFilter> = {}): Promise<readonly string[]> =>
    refsOf(
      await unwrap(
        listOrders(shop.store)({
          merchantRef: null,
          state: null,
          since: null,
          limit: 1000,
          ...expected,
        }),
      ),
    )

  const findRefs = async (reference: string): Promise<readonly string[]> =>
    refsOf(await unwrap(findOrders({ store: shop.store, merchants })(reference)))

  describe('orders', () => {
    it('come in pages, last placed first, each once', async () => {
      const placed = [await shop.place(), await shop.place(aMerchant('other')), await shop.place()]
      const first = await unwrap(shop.store.orders.newest(null, 2))
      await shop.place()
      const second = await unwrap(shop.store.orders.newest(first.next, 2))
      expect(refsOf([...first.orders, ...second.orders])).toEqual(placed.toReversed())
      expect([first.next, second.next]).toEqual([expect.any(Number), null])
    })

    it('are an empty list at first, and then as their last step left them', async () => {
      expect(await unwrap(shop.store.orders.newest(null, 10))).toEqual({ orders: [], next: null })
      const orderRef = await shop.placeAndSubmit()
      expect((await unwrap(shop.store.orders.newest(null, 10))).orders).toEqual([
        await shop.read(orderRef),
      ])
    })

    it('are filtered by merchant, state or time, over as many pages as necessary', async () => {
      const early = await shop.place(aMerchant('other'))
      shop.advance(HOUR)
      const many: string[] = []
      for (let placed = 0; placed < 410; placed++) many.unshift(await shop.place())
      const other = await shop.place(aMerchant('other'))
      await shop.submit(early)
      expect(await listRefs()).toEqual([other, ...many, early])
      expect(await listRefs({ limit: 205 })).toEqual([other, ...many.slice(0, 204)])
      expect(await listRefs({ merchantRef: 'other' })).toEqual([other, early])
      expect(await listRefs({ merchantRef: 'other', limit: 1 })).toEqual([other])
      expect(await listRefs({ state: 'verifying_phone' })).toEqual([early])
      expect(await listRefs({ state: 'identifying', since: NOON + HOUR })).toEqual([other, ...many])
      expect(await listRefs({ since: NOON + HOUR + 1 })).toEqual([])
    })

    it('that wait for an operator are listed by their task, first placed first', async () => {
      const listWaiting = async (why: OperatorTask, after: number | null = null, limit = 10) => {
        const { orders, next } = await unwrap(shop.store.orders.waiting(why, after, limit))
        return {
          refs: refsOf(orders.map(({ order }) => order)),
          since: orders.map(({ since }) => since),
          next,
        }
      }
      const nobody = { refs: [], since: [], next: null }
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
      expect(await listWaiting('asked')).toEqual({
        refs: [orderRef],
        since: [NOON + HOUR],
        next: null,
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
      expect(first).toMatchObject({ refs: others.slice(0, 2), next: expect.any(Number) })
      expect(await listWaiting('asked', first.next, 2)).toMatchObject({
        refs: others.slice(2),
        next: null,
      })
      const [one = ''] = others
      const key = (await shop.read(one)).context.pending.cancel ?? ''
      await shop.applyEvent(one, { type: 'cancel.unsupported', inReplyTo: key })
      expect(await listWaiting('unsupported')).toEqual({
        refs: [one],
        since: [shop.now()],
        next: null,
      })
      expect((await listWaiting('asked')).refs).toEqual(others.slice(1))
    })

    it('are found by their own reference in any case, and by the reference that they hold or were given', async () => {
      const [ours, theirs, unheld, again] = [
        await shop.place(aMerchant(), 'A/1'),
        await shop.place(aMerchant('other'), 'A/1'),
        await shop.place(aMerchant(), 'A/2'),
        await shop.place(aMerchant(), 'A/2'),
      ]
      for (const orderRef of [ours, theirs]) await shop.leadToConfirmation(orderRef)
      expect(await findRefs(ours)).toEqual([ours])
      expect(await findRefs(ours.toUpperCase())).toEqual([ours])
      expect(await findRefs('A/1')).toEqual([ours, theirs])
      // No order holds this reference, because none of them is being confirmed.
      expect(await findRefs('A/2')).toEqual([again, unheld])
      expect(await findRefs('A/3')).toEqual([])
      expect(await findRefs(unheld)).toEqual([unheld])
      expect(await findRefs('')).toEqual([])
    })
  })
}
