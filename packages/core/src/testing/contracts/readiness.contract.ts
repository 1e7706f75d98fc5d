// Store contract: a store stays ready while single requests fail. Otherwise a load balancer would take a
// server away because of one bad request.
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import type { StoreShop } from './shop.ts'

export const readinessContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('a store', () => {
    it('takes writes, even after a decision has thrown or was refused', async () => {
      const orderRef = await shop.place()
      await shop.store.step(orderRef, () => {
        throw new Error('an internal error')
      })()
      await shop.store.step(orderRef, () => E.left({ _tag: 'Refused' }))()
      expect(await shop.store.takesWrites()).toBe(true)
    })
  })
}
