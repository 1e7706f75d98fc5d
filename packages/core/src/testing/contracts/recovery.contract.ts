// Store contract: all deliveries tried since a given instant that have not arrived are sent again.
import { recoverDeliveries } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { actionEndedAs, actionInFlight, again, found, heard } from './one-delivery.ts'
import type { OpenedShop } from './opened-store.ts'
import { ended, given, HOUR, MINUTE, NOON, type Shop } from './shop.ts'

export const recoveryContract = (opened: () => OpenedShop) => {
  const recover = ({ host }: Shop, since: number, limit = 100): Promise<number> =>
    given(recoverDeliveries(host)({ merchantRef: 'demo', since, limit }))

  describe('recover', () => {
    it('sends again what is pending or exhausted, and nothing that was accepted, stopped or is stuck', async () => {
      const { shop } = opened()
      const exhausted = await actionEndedAs(shop, 'exhausted')
      for (const ending of ['delivered', 'stopped', 'unsupported'] as const) await actionEndedAs(shop, ending)
      const stuck = await actionInFlight(shop)
      await given(shop.store.complete(stuck, ended(), () => E.left({ message: 'a fault' }), heard(200)))
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
