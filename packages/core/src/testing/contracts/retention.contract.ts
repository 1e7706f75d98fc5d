// Store contract: old finished data is deleted, and nothing else.
import type { DroppedBatch, DropRequest } from '@plazo/core'
import { describe, expect, it } from 'vitest'
import { aMerchant, finishedAs, HOUR, NOON, type StoreShop, unwrap } from './shop.ts'

const LATER = NOON + 100 * HOUR

type Drop = (request: DropRequest) => Promise<DroppedBatch>

/** Runs batch after batch until the end. */
const droppedBy = async (drop: Drop, before: number, rows = 100): Promise<number> => {
  let count = 0
  for (let after: number | null = 0; after !== null; ) {
    const dropped: DroppedBatch = await drop({ before, after, rows })
    count += dropped.count
    after = dropped.next
  }
  return count
}

export const retentionContract = (opened: () => StoreShop) => {
  const idsOf = async ({ store }: StoreShop, merchantRef = 'demo'): Promise<readonly string[]> =>
    (await unwrap(store.deliveries.list({ merchantRef, orderRef: null, state: null, before: null, limit: 1000 }))).map(
      ({ id }) => id,
    )

  const deliveriesOf =
    ({ store }: StoreShop): Drop =>
    (request) =>
      unwrap(store.retention.dropDeliveries(request))

  const journalsOf =
    ({ store }: StoreShop): Drop =>
    (request) =>
      unwrap(store.retention.dropJournals(request))

  /** The key of an action event that has ended as `as`. */
  const delivered = async (
    shop: StoreShop,
    as: Parameters<typeof finishedAs>[0] = 'delivered',
    merchant = aMerchant(),
  ) => {
    const orderRef = await shop.place(merchant)
    await shop.submit(orderRef)
    const entry = await shop.claimOne(orderRef, 'action')
    await shop.completeClaim(entry, null, finishedAs(as))
    return entry.key
  }

  describe('a finished delivery', () => {
    it('goes with its attempts once it is old enough, of every merchant and however it ended', async () => {
      const shop = opened()
      for (const as of ['delivered', 'exhausted', 'stopped', 'unsupported'] as const) await delivered(shop, as)
      await delivered(shop, 'delivered', aMerchant('other'))
      expect(await droppedBy(deliveriesOf(shop), NOON)).toBe(0)
      expect(await idsOf(shop)).toHaveLength(4)
      expect(await droppedBy(deliveriesOf(shop), NOON + 1)).toBe(5)
      expect([await idsOf(shop), await idsOf(shop, 'other')]).toEqual([[], []])
      expect(await droppedBy(deliveriesOf(shop), NOON + 1)).toBe(0)
    })

    it('is unknown from then on', async () => {
      const shop = opened()
      const id = await delivered(shop)
      await droppedBy(deliveriesOf(shop), LATER)
      expect(await shop.store.deliveries.find('demo', id)()).toMatchObject({ left: { _tag: 'DeliveryNotFound' } })
      expect(await shop.store.deliveries.resend('demo', id, LATER)()).toMatchObject({
        left: { _tag: 'DeliveryNotFound' },
      })
    })

    it('is as old as its last attempt', async () => {
      const shop = opened()
      const id = await delivered(shop)
      shop.advance(HOUR)
      await unwrap(shop.store.deliveries.resend('demo', id, shop.now()))
      const [entry, ...others] = await shop.claim({ work: 0 })
      expect([entry?.key, entry?.isResend, others]).toEqual([id, true, []])
      if (entry !== undefined) await shop.completeClaim(entry, null)
      expect(await droppedBy(deliveriesOf(shop), NOON + HOUR)).toBe(0)
      expect(await droppedBy(deliveriesOf(shop), NOON + HOUR + 1)).toBe(1)
    })

    it('stays while it waits to be sent again, is tried, or is stuck', async () => {
      const shop = opened()
      const id = await delivered(shop)
      await unwrap(shop.store.deliveries.resend('demo', id, shop.now()))
      const pending = await shop.place()
      await shop.submit(pending)
      const stuckEntry = await shop.place()
      await shop.submit(stuckEntry)
      const entry = await shop.claimOne(stuckEntry, 'action')
      await unwrap(
        shop.store.complete(entry, {
          result: finishedAs(),
          decide: () => ({ _tag: 'Left', left: { message: 'a fault of ours' } }),
        }),
      )
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(0)
      expect(await idsOf(shop)).toHaveLength(3)
      const due = await shop.claim({ work: 0 })
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(0)
      for (const each of due) await shop.completeClaim(each, null)
      expect(await droppedBy(deliveriesOf(shop), LATER)).toBe(2)
      expect(await idsOf(shop)).toEqual([entry.key])
    })

    it('goes in small batches, whose rows are bounded', async () => {
      const shop = opened()
      for (let count = 0; count < 25; count++) await delivered(shop)
      const first = await deliveriesOf(shop)({ before: LATER, after: 0, rows: 10 })
      expect(first.count).toBeLessThanOrEqual(10)
      expect(first.next).not.toBeNull()
      expect(await idsOf(shop)).toHaveLength(25 - first.count)
      expect(await droppedBy(deliveriesOf(shop), LATER, 10)).toBe(25 - first.count)
    })

    it('goes past what must stay', async () => {
      const shop = opened()
      const stays = await shop.place()
      await shop.submit(stays)
      for (let count = 0; count < 5; count++) await delivered(shop)
      expect(await droppedBy(deliveriesOf(shop), LATER, 2)).toBe(5)
      expect(await idsOf(shop)).toEqual([expect.stringContaining(stays)])
    })
  })

  describe('the journal of an order that is over', () => {
    const expired = async (shop: StoreShop): Promise<string> => {
      const orderRef = await shop.place(aMerchant('quiet', { sendActionEvents: false }))
      shop.advance(24 * HOUR)
      await shop.work()
      expect((await shop.read(orderRef)).state.checkout).toBe('expired')
      return orderRef
    }

    it('goes whole once its last line is old enough; the order stays, and goes on', async () => {
      const shop = opened()
      const orderRef = await expired(shop)
      const over = shop.now()
      const before = await shop.read(orderRef)
      expect(await droppedBy(journalsOf(shop), over)).toBe(0)
      expect((await shop.journal(orderRef)).length).toBeGreaterThan(1)
      expect(await droppedBy(journalsOf(shop), over + 1)).toBe(1)
      expect(await shop.journal(orderRef)).toEqual([])
      expect(await shop.read(orderRef)).toEqual(before)
      await shop.applyEvent(orderRef, { type: 'order.updated' })
      expect((await shop.read(orderRef)).revision).toBeGreaterThanOrEqual(before.revision)
      expect(await droppedBy(journalsOf(shop), over + 1)).toBe(0)
    })

    /** A confirmed order with nothing pending. */
    const confirmed = async (shop: StoreShop): Promise<string> => {
      const orderRef = await shop.place(aMerchant('quiet', { sendActionEvents: false }))
      await shop.leadToConfirmation(orderRef)
      const ipn = await shop.claimOne(orderRef, 'ipn')
      await shop.completeClaim(ipn, { type: 'ipn.accepted', inReplyTo: ipn.key })
      await settleAll(shop)
      return orderRef
    }

    const settleAll = async (shop: StoreShop): Promise<void> => {
      for (let left = await shop.claim(); left.length > 0; left = await shop.claim())
        for (const entry of left) await shop.completeClaim(entry, null)
    }

    it('goes again once what was told of it later is old enough, and keeps no later one from going', async () => {
      const shop = opened()
      const orderRef = await confirmed(shop)
      expect(await droppedBy(journalsOf(shop), shop.now() + 1)).toBe(1)
      const later = await confirmed(shop)
      shop.advance(HOUR)
      await shop.cancel(orderRef)
      await settleAll(shop)
      const events = (await shop.journal(orderRef)).map(({ event }) => event)
      expect(events).not.toEqual([])
      expect(await droppedBy(journalsOf(shop), shop.now(), 1)).toBe(1)
      expect(await shop.journal(later)).toEqual([])
      expect((await shop.journal(orderRef)).map(({ event }) => event)).toEqual(events)
      expect(await droppedBy(journalsOf(shop), shop.now() + 1)).toBe(1)
      expect(await shop.journal(orderRef)).toEqual([])
    })

    it('stays while anything is to come: a shopper, an effect that is due, a decision', async () => {
      const shop = opened()
      const waiting = await shop.place()
      const [confirming, negotiating] = [await shop.place(), await shop.place()]
      for (const orderRef of [confirming, negotiating]) await shop.leadToConfirmation(orderRef)
      const { key, ...ipn } = await shop.claimOne(negotiating, 'ipn')
      await shop.completeClaim({ key, ...ipn }, { type: 'ipn.accepted', inReplyTo: key })
      await shop.applyEvent(negotiating, { type: 'cancellation.requested' })
      expect((await shop.read(negotiating)).state).toMatchObject({ checkout: 'confirmed', cancellation: 'asking' })
      expect(await droppedBy(journalsOf(shop), LATER)).toBe(0)
      for (const orderRef of [waiting, confirming, negotiating])
        expect((await shop.journal(orderRef)).length).toBeGreaterThan(0)
    })

    it('goes in batches, past those that stay', async () => {
      const shop = opened()
      const stays = await shop.place()
      const over: string[] = []
      for (let count = 0; count < 5; count++) {
        over.push(await shop.place(aMerchant('quiet', { sendActionEvents: false })))
      }
      await shop.leadToConfirmation(stays)
      shop.advance(24 * HOUR)
      for (const entry of await shop.claim({ deliveries: 0 }))
        await shop.completeClaim(
          entry,
          entry.work.kind === 'timer' && entry.orderRef !== stays
            ? { type: 'timer.fired', inReplyTo: entry.key, timer: entry.work.timer }
            : null,
          entry.orderRef === stays ? { type: 'retry', dueAt: LATER } : finishedAs(),
        )
      expect(await droppedBy(journalsOf(shop), shop.now() + 1, 1)).toBe(5)
      for (const orderRef of over) expect(await shop.journal(orderRef)).toEqual([])
      expect((await shop.journal(stays)).length).toBeGreaterThan(0)
    })
  })
}
