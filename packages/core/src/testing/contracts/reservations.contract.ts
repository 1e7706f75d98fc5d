// Store contract: a reference belongs to one order of a merchant at a time, and is free again
// afterwards.
import {
  heldReference,
  type InternalError,
  type OrderEvent,
  type Step,
  step,
  unchanged,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { aMerchant, type StoreShop, terms, unwrap } from './shop.ts'
import { confirmByIpn, readEverything } from './store-fixtures.ts'

export const reservationsContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('the reservation of order_ref_1', () => {
    const findHolding = (orderRef1: string, merchantRef = 'demo') =>
      shop.store.findByReference(merchantRef, orderRef1)()
    const holderOf = async (orderRef1: string, merchantRef = 'demo'): Promise<string> =>
      (await unwrap(shop.store.findByReference(merchantRef, orderRef1))).placed.orderRef

    it('is made when the order enters confirmation, and not before', async () => {
      const orderRef = await shop.place(aMerchant(), 'A-1')
      expect(await findHolding('A-1')).toMatchObject({ left: { _tag: 'OrderNotFound' } })
      await shop.leadToConfirmation(orderRef)
      expect(await holderOf('A-1')).toBe(orderRef)
    })

    it('refuses to place an order with a reference in use', async () => {
      await shop.placeConfirming(aMerchant(), 'A-1')
      const late = shop.preparePlacing(aMerchant(), 'A-1')
      expect(await shop.store.place(late, '{}')()).toEqual(
        E.left({ _tag: 'ReferenceTaken', reference: 'A-1' }),
      )
      expect(await shop.store.read(late.order.placed.orderRef)()).toMatchObject({
        left: { _tag: 'OrderNotFound' },
      })
    })

    it('asks for another decision if the reference is in use, and commits the last one', async () => {
      const [first, second] = [
        await shop.place(aMerchant(), 'A-1'),
        await shop.place(aMerchant(), 'A-1'),
      ]
      await shop.leadToConfirmation(first)
      expect(await leadAndCount(shop, second)).toEqual([false, true])
      expect((await shop.read(second)).state.checkout).toBe('conflicted')
      expect(await holderOf('A-1')).toBe(first)
    })

    it('is refused to a step that insists on a reference in use, and given if it is free', async () => {
      const first = await shop.placeConfirming(aMerchant(), 'A-1')
      const second = await shop.place(aMerchant(), 'B-1')
      const before = await readEverything(shop, second)
      const requestReference = (reference: string) =>
        shop.store.step(second, (order) =>
          E.right({ step: { ...unchanged(order), reference }, answer: 'given' }),
        )()
      expect(await requestReference('A-1')).toEqual(
        E.left({ _tag: 'ReferenceTaken', reference: 'A-1' }),
      )
      expect(await requestReference('B-1')).toEqual(E.right('given'))
      expect(await readEverything(shop, second)).toEqual(before)
      await shop.putConfirmed(first)
      expect(await holderOf('A-1')).toBe(first)
    })

    it('goes to one of two orders that race for it in one turn', async () => {
      const [first, second] = [
        await shop.place(aMerchant(), 'A-1'),
        await shop.place(aMerchant(), 'A-1'),
      ]
      for (const orderRef of [first, second]) {
        await shop.submit(orderRef)
        await shop.enterCode(orderRef)
      }
      await shop.work()
      await Promise.all([shop.submit(first), shop.submit(second)])
      const ends = await Promise.all([shop.read(first), shop.read(second)])
      expect(ends.map(({ state }) => state.checkout).sort()).toEqual(['confirming', 'conflicted'])
    })

    it('is free again once the order has ended unconfirmed, or is cancelled', async () => {
      const conflicted = await shop.placeConfirming(aMerchant(), 'A-1')
      const ipn = await shop.claimOne(conflicted, 'ipn')
      await shop.completeClaim(ipn, { type: 'ipn.conflicted', inReplyTo: ipn.key })
      const orderRef = await shop.place(aMerchant(), 'A-1')
      await confirmByIpn(shop, orderRef)
      expect(await holderOf('A-1')).toBe(orderRef)
      await shop.cancel(orderRef)
      expect(await findHolding('A-1')).toMatchObject({ left: { _tag: 'OrderNotFound' } })
    })

    it('moves with the reference that the merchant gives', async () => {
      const orderRef = await shop.placeConfirming(aMerchant(), 'A-1')
      const moved = await shop.applyEvent(orderRef, {
        type: 'references.given',
        first: 'B-1',
        second: null,
      })
      expect(heldReference(moved)).toBe('B-1')
      expect(await holderOf('B-1')).toBe(orderRef)
      expect(await findHolding('A-1')).toMatchObject({ left: { _tag: 'OrderNotFound' } })
    })

    it('is one for each merchant', async () => {
      const other = aMerchant('other')
      const [ours, theirs] = [await shop.place(aMerchant(), 'A-1'), await shop.place(other, 'A-1')]
      await shop.leadToConfirmation(ours)
      await shop.leadToConfirmation(theirs)
      expect(await holderOf('A-1')).toBe(ours)
      expect(await holderOf('A-1', 'other')).toBe(theirs)
    })

    it('accepts references of any length, and distinguishes all of them', async () => {
      // A repetitive text would be compressed, so this one does not repeat.
      const long = Array.from({ length: 8_000 }, (_, n) =>
        ((n * 2_654_435_761) >>> 0).toString(36),
      ).join('-')
      const refs = [
        await shop.placeConfirming(aMerchant(), long),
        await shop.placeConfirming(aMerchant(), `${long}.`),
      ]
      expect([await holderOf(long), await holderOf(`${long}.`)]).toEqual(refs)
      const late = shop.preparePlacing(aMerchant(), long)
      expect(await shop.store.place(late, '{}')()).toEqual(
        E.left({ _tag: 'ReferenceTaken', reference: long }),
      )
    })

    it('accepts references with any content, and distinguishes all of them', async () => {
      const halves = ['\ud800', '\udc00', 'a\ud800', '\\ud800']
      const odd = ['\0', ...halves, '\ufffd', '"', 'e\u0301', '\u00e9', ' A-1', '__proto__']
      const refs: string[] = []
      for (const reference of odd) {
        const orderRef = await shop.place(aMerchant(), reference)
        refs.push(orderRef)
        await shop.leadToConfirmation(orderRef)
      }
      expect(await Promise.all(odd.map((reference) => holderOf(reference)))).toEqual(refs)
      const late = shop.preparePlacing(aMerchant(), '\udc00')
      expect(await shop.store.place(late, '{}')()).toEqual(
        E.left({ _tag: 'ReferenceTaken', reference: '\udc00' }),
      )
    })
  })
}

/** Leads the order on. Returns the `referenceIsTaken` of each call of its last decision. */
const leadAndCount = async (shop: StoreShop, orderRef: string): Promise<readonly boolean[]> => {
  await shop.submit(orderRef)
  await shop.enterCode(orderRef)
  await shop.work()
  const takenFlags: boolean[] = []
  const { person } = (await shop.read(orderRef)).context
  if (person === null) throw new Error('Nobody has identified.')
  await unwrap(
    shop.store.step<InternalError, null>(orderRef, (order, referenceIsTaken) => {
      takenFlags.push(referenceIsTaken)
      const event: OrderEvent = { type: 'person.submitted', person, agreement: null }
      const moment = { at: shop.now(), random: shop.host.ids.random(), referenceIsTaken }
      const result = step(terms)(order, event, moment)
      return E.map((next: Step) => ({ step: next, answer: null }))(result)
    }),
  )
  return takenFlags
}
