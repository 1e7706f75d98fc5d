// Store contract: a job that is given back is available to the next claim.
import type { Runner } from './runner.ts'
import { NOON, SECOND, type StoreShop, unwrap } from './shop.ts'

export const releaseContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('release', () => {
    it('makes jobs available to the next claim', async () => {
      await shop.placeAndSubmit()
      const sms = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([sms], 'started'))
      expect(await shop.completeClaim(sms, null)).toBe('lost')
      const [repeated] = await shop.claimWork()
      expect(repeated?.key).toBe(sms.key)
      expect(repeated?.token).not.toBe(sms.token)
    })

    it('counts an attempt only if the job was started, and keeps the time of the first one', async () => {
      await shop.placeAndSubmit()
      const attempts: (readonly [number, number])[] = []
      for (const as of ['started', 'not_started', 'not_started', 'started'] as const) {
        const sms = await shop.claimFirst({ deliveries: 0 })
        attempts.push([sms.attempt, sms.firstAt])
        await unwrap(shop.store.release([sms], as))
        shop.advance(SECOND)
      }
      expect(attempts).toEqual([
        [1, NOON],
        [2, NOON],
        [2, NOON],
        [2, NOON],
      ])
    })

    it('does not affect a job that was claimed again since', async () => {
      await shop.placeAndSubmit()
      const first = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([first], 'not_started'))
      const second = await shop.claimFirst({ deliveries: 0 })
      await unwrap(shop.store.release([first], 'started'))
      expect(await shop.completeClaim(second, null)).toBe('delivered')
    })
  })
}
