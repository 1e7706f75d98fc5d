// Store contract: a merchant can list their deliveries.
import {
  type DeliveryFilter,
  type DeliveryPage,
  type Job,
  listDeliveries,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { aMerchant, finishedAs, listedDeliveries, NOON, type StoreShop, unwrap } from './shop.ts'
import { actionInFlight, attemptReport, findDelivery, finishedAction } from './store-fixtures.ts'

export const deliveriesContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  const list = (overrides?: Partial<DeliveryFilter>) => listedDeliveries(shop.store, overrides)

  describe('deliveries', () => {
    it('come in pages, newest first, each once, no matter what is added meanwhile', async () => {
      const placed: string[] = []
      for (let count = 0; count < 7; count++) {
        placed.push(await shop.placeAndSubmit())
        await shop.placeAndSubmit(aMerchant('other'))
      }
      const pages: (readonly string[])[] = []
      for (let next: string | null = null; pages.length === 0 || next !== null; ) {
        const filter = { merchantRef: 'demo', orderRef: null, state: null, before: next, limit: 3 }
        const page: DeliveryPage = await unwrap(listDeliveries(shop.store)(filter))
        pages.unshift(page.deliveries.map(({ orderRef }) => orderRef))
        next = page.next
        await shop.placeAndSubmit()
      }
      expect(pages).toEqual([placed.slice(0, 1), placed.slice(1, 4), placed.slice(4)])
    })

    it('are listed with the responses of as many last attempts as asked for', async () => {
      const first = await actionInFlight(shop)
      const complete = (job: Job, response: string) =>
        shop.completeClaim(job, null, finishedAs(), attemptReport(200, { response }))
      await complete(first, 'first')
      for (const response of ['second', 'third']) {
        await unwrap(shop.store.deliveries.resend('demo', first.key, shop.now()))
        for (const job of await shop.claim()) await complete(job, response)
      }
      const responses = async (changes: Partial<DeliveryFilter>) =>
        (await list(changes)).flatMap(({ attempts }) => attempts.map(({ response }) => response))
      expect(await responses({ responses: 1 })).toEqual([null, null, 'third'])
      expect(await responses({ responses: 2 })).toEqual([null, 'second', 'third'])
      expect(await responses({})).toEqual(['first', 'second', 'third'])
    })

    it('cannot be listed before a delivery that the merchant does not have', async () => {
      await shop.placeAndSubmit(aMerchant('other'))
      const [theirs] = await list({ merchantRef: 'other' })
      for (const before of [theirs?.id ?? '', 'nothing', '', `${theirs?.orderRef}:1:\0`])
        expect(
          await shop.store.deliveries.list({
            merchantRef: 'demo',
            orderRef: null,
            state: null,
            before,
            limit: 1,
          })(),
        ).toEqual(E.left({ _tag: 'DeliveryNotFound' }))
    })

    it('are filtered by order, by state and by both, and only the newest are listed', async () => {
      const delivered = await finishedAction(shop, 'delivered')
      const exhausted = await finishedAction(shop, 'exhausted')
      const orderRef = await shop.placeAndSubmit()
      await shop.enterCode(orderRef)
      const ids = async (filter: Partial<DeliveryFilter>) =>
        (await list(filter)).map(({ id }) => id)
      const pending = [`${orderRef}:2:action`, `${orderRef}:3:action`]
      expect(await ids({ state: 'pending' })).toEqual(pending)
      expect(await ids({ state: 'delivered' })).toEqual([delivered])
      expect(await ids({ state: 'exhausted' })).toEqual([exhausted])
      const ofOther = await finishedAction(shop, 'exhausted', aMerchant('other'))
      const givenUp = await unwrap(shop.store.deliveries.exhausted(2))
      expect(givenUp.map(({ merchantRef, id }) => [merchantRef, id])).toEqual([
        ['other', ofOther],
        ['demo', exhausted],
      ])
      expect(givenUp[1]?.attempts).toHaveLength(1)
      expect(await unwrap(shop.store.deliveries.exhausted(1))).toHaveLength(1)
      expect(await ids({ state: 'stuck' })).toEqual([])
      expect(await ids({ orderRef })).toEqual(pending)
      expect(await ids({ orderRef, state: 'delivered' })).toEqual([])
      expect(await ids({ orderRef: 'nobody' })).toEqual([])
      expect(await ids({ orderRef, merchantRef: 'other' })).toEqual([])
      expect(await ids({ limit: 3 })).toEqual([exhausted, ...pending])
      expect(await ids({ orderRef, limit: 1 })).toEqual(pending.slice(1))
    })

    it('are found by their id, and only for their own merchant', async () => {
      const { key, orderRef } = await actionInFlight(shop)
      const { deliveries } = shop.store
      const unknown = E.left({ _tag: 'DeliveryNotFound' })
      const odd = ['2', '2:sms', '2:\0', '2:action\0', '9:action', `${'9'.repeat(30)}:action`]
      const ids = ['', 'nobody', `${key}:`, `\0${key}`, ...odd.map((rest) => `${orderRef}:${rest}`)]
      for (const [merchant, id] of [...ids.map((id) => ['demo', id]), ['other', key]] as const) {
        expect(await deliveries.find(String(merchant), String(id))()).toEqual(unknown)
        expect(await deliveries.resend(String(merchant), String(id), NOON)()).toEqual(unknown)
      }
      expect((await findDelivery(shop, key)).id).toBe(key)
    })
  })
}
