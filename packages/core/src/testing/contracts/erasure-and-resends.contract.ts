// Erasure and resends together: a resend must not bring back what was erased, and an erasure must
// not overtake a resend.
import {
  effectKeyParts,
  eraseShopper,
  eraseShopperData,
  type FullStore,
  laneOfKey,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { OpenedErasure } from './erasure.contract.ts'
import { citeSection, type Runner } from './runner.ts'
import { HOUR, listedDeliveries, openShop, type StoreShop, unwrap } from './shop.ts'
import {
  attemptReport,
  confirmByIpn,
  finishedAction,
  finishJobs,
  resend,
} from './store-fixtures.ts'

const ANSWERED = attemptReport(200, { response: 'to Ana' })

/** Defines the tests of a store with erasure and deliveries. `open` is called before each test. */
export const erasureAndResendsContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedErasure>,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(
    runner,
    'docs/privacy-and-security.md',
  )
  describe(`${name} keeps the contract of erasure and resends`, () => {
    let opened: OpenedErasure
    let shop: StoreShop
    let orderRef: string
    beforeEach(async () => {
      opened = await open()
      shop = openShop(opened.store as FullStore)
      orderRef = await shop.place()
      await confirmByIpn(shop, orderRef, ANSWERED)
      await shop.cancel(orderRef)
      await finishJobs(shop, ANSWERED)
    })
    afterEach(() => opened.close())

    const eraseData = () =>
      eraseShopperData({ erasure: opened.erasure, clock: { now: shop.now } })(orderRef)()

    const deliveries = () => listedDeliveries(shop.store, { orderRef })

    it('keeps the deliveries with every attempt but without the responses, and resends none of them', async () => {
      const before = await deliveries()
      expect(before.flatMap(({ attempts }) => attempts.map(({ response }) => response))).toContain(
        'to Ana',
      )
      await eraseData()
      expect(await deliveries()).toEqual(
        before.map((each) => ({
          ...each,
          attempts: each.attempts.map((tried) => ({ ...tried, response: null })),
        })),
      )
      for (const { id } of before)
        expect(await shop.store.deliveries.resend('demo', id, shop.now())()).toMatchObject({
          left: { _tag: 'DeliveryErased' },
        })
    })

    it('recovers no delivery whose content was erased', async () => {
      const exhausted = await finishedAction(shop, 'exhausted')
      shop.advance(24 * HOUR)
      await finishJobs(shop)
      orderRef = effectKeyParts(exhausted).orderRef
      expect(await eraseData()).toEqual(E.right('erased'))
      const request = { merchantRef: 'demo', since: 0, at: shop.now(), after: 0, limit: 100 }
      expect(await unwrap(shop.store.deliveries.recover(request))).toMatchObject({ count: 0 })
      expect(await shop.claim()).toEqual([])
    })

    it('refuses the erasure while a resend is pending or in flight, and names the lane of the delivery', async () => {
      const [delivery] = await deliveries()
      if (delivery === undefined) throw new Error('Nothing was sent.')
      await resend(shop, delivery.id)
      const erasing = opened.erasure.erase(orderRef, (order) =>
        E.right(eraseShopper(order, shop.now())),
      )
      const refused = E.left({ _tag: 'StillPending', lanes: [laneOfKey(delivery.id)] })
      expect(await erasing()).toEqual(refused)
      const resent = await shop.claimFirst()
      expect(await erasing()).toEqual(refused)
      await shop.completeClaim(resent, null, undefined, ANSWERED)
      expect(await eraseData()).toEqual(E.right('erased'))
    })
  })
}
