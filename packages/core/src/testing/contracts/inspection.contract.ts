// Contract of the capability `inspection`: what pages show of an order beyond its state.
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { unwrap } from './shop.ts'
import type { OpenedShop } from './store-fixtures.ts'

export const inspectionContract = (current: () => OpenedShop) => {
  describe('inspection', () => {
    it('does not find an order that was never placed', async () => {
      const { inspection } = current().store
      expect(await inspection.pendingJobs('nobody')()).toEqual(E.left({ _tag: 'OrderNotFound' }))
      expect(await inspection.payload('nobody')()).toEqual(E.left({ _tag: 'OrderNotFound' }))
    })

    it('returns the body that the merchant placed, unchanged', async () => {
      const { shop, store } = current()
      const { order, ...rest } = shop.preparePlacing()
      await unwrap(store.place({ ...rest, order }, '{"order": {"cart": "Lámpara \\u0000"}}'))
      expect(await unwrap(store.inspection.payload(order.placed.orderRef))).toBe(
        '{"order": {"cart": "Lámpara \\u0000"}}',
      )
    })

    it('lists the unfinished jobs of an order, the next one first, and no others', async () => {
      const { shop, store } = current()
      const orderRef = await shop.place()
      await shop.place()
      const jobs = await unwrap(store.inspection.pendingJobs(orderRef))
      expect(jobs.map(({ lane, state, attempts }) => ({ lane, state, attempts }))).toEqual([
        { lane: 'timer.checkoutLifetime', state: 'pending', attempts: 0 },
      ])
      expect(jobs[0]?.key.startsWith(`${orderRef}:`)).toBe(true)
    })
  })
}
