// Store contract: an order is placed, read and stepped; each write happens as a whole or not at
// all.
import { unavailable, unchanged } from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { Runner } from './runner.ts'
import { aMerchant, type StoreShop, unwrap } from './shop.ts'
import { type OpenedStore, readEverything } from './store-fixtures.ts'

export const stepsContract = (
  { describe, it, expect }: Runner,
  shop: StoreShop,
  opened: () => OpenedStore,
) => {
  describe('place and read', () => {
    it('reads an order back as it was placed, and as its last step left it, with its journal', async () => {
      const placed = shop.preparePlacing(aMerchant(), 'A/1 "ñ"')
      const { orderRef } = placed.order.placed
      await unwrap(shop.store.place(placed, '{"order":{}}'))
      expect(await shop.read(orderRef)).toEqual(placed.order)
      expect(await shop.journal(orderRef)).toEqual(placed.journal)
      await shop.submit(orderRef)
      const given = { type: 'references.given', first: 'N-1', second: 'N-2' } as const
      const order = await shop.applyEvent(orderRef, given)
      expect(await shop.read(orderRef)).toEqual(order)
      const journal = await shop.journal(orderRef)
      expect(journal.map(({ seq, event }) => [seq, event])).toEqual([
        [1, 'order.placed'],
        [2, 'person.submitted'],
        [3, 'references.given'],
      ])
      expect(journal[1]?.input?.event).toMatchObject({ person: { given_names: 'Ana María "✓"' } })
    })

    it('reports that an order was never placed', async () => {
      const unknown = { left: { _tag: 'OrderNotFound' } }
      expect(await shop.store.read('nobody')()).toMatchObject(unknown)
      expect(await shop.store.journal('nobody')()).toMatchObject(unknown)
      expect(
        await shop.store.step('nobody', (order) =>
          E.right({ step: unchanged(order), answer: 0 }),
        )(),
      ).toMatchObject(unknown)
      expect(await shop.store.findByReference('demo', 'A-1')()).toMatchObject(unknown)
    })

    it('never replaces an order with a second one', async () => {
      const placed = shop.preparePlacing()
      const { orderRef } = placed.order.placed
      await unwrap(shop.store.place(placed, '{}'))
      const order = await shop.applyEvent(orderRef, {
        type: 'references.given',
        first: 'N-1',
        second: null,
      })
      expect(await shop.store.place(placed, '{}')()).toMatchObject({
        left: { _tag: 'Unavailable' },
      })
      expect(await shop.read(orderRef)).toEqual(order)
    })
  })

  describe('step', () => {
    it('writes nothing when the decision is a refusal, and answers with it', async () => {
      const orderRef = await shop.place()
      const before = await readEverything(shop, orderRef)
      const refused = shop.store.step<{ readonly _tag: 'Refused' }, null>(orderRef, () =>
        E.left({ _tag: 'Refused' }),
      )
      expect(await refused()).toEqual(E.left({ _tag: 'Refused' }))
      expect(await readEverything(shop, orderRef)).toEqual(before)
    })

    it('writes nothing when the decision changes nothing, and still answers', async () => {
      const orderRef = await shop.place()
      const before = await readEverything(shop, orderRef)
      expect(await shop.submit(orderRef, { nin: 'wrong' })).toMatchObject({
        errors: { nin: 'invalid' },
      })
      expect(
        await unwrap(
          shop.store.step(orderRef, (order) => E.right({ step: unchanged(order), answer: 7 })),
        ),
      ).toBe(7)
      expect(await readEverything(shop, orderRef)).toEqual(before)
    })

    it('fails only the callers whose decision throws or is a refusal, and no other of the same turn', async () => {
      const [first, second] = [await shop.place(), await shop.place()]
      const throwing = shop.store.step(first, () => {
        throw new Error('an internal error')
      })
      const refusing = shop.store.step(first, () => E.left({ _tag: 'Refused' }))
      const submitted = [shop.submit(first), throwing(), refusing(), shop.submit(second)] as const
      const [before, failed, refused, after] = await Promise.all(submitted)
      expect(before).toEqual({ action: 'require_validate_otp' })
      expect(failed).toEqual(unavailable('internal_error', 'an internal error'))
      expect(refused).toEqual(E.left({ _tag: 'Refused' }))
      expect(after).toEqual({ action: 'require_validate_otp' })
      for (const orderRef of [first, second])
        expect((await shop.journal(orderRef)).map(({ event }) => event)).toEqual([
          'order.placed',
          'person.submitted',
        ])
    })

    it('runs each of many steps of one turn exactly once', async () => {
      const count = opened().isSlow ? 30 : 300
      const refs = await Promise.all(Array.from({ length: count }, () => shop.place()))
      await Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
      const orders = await Promise.all(refs.map((orderRef) => shop.read(orderRef)))
      expect(new Set(orders.map(({ revision }) => revision))).toEqual(new Set([2]))
      expect(await shop.claimWork({ internal: 1000 })).toHaveLength(count)
    })
  })
}

/** A store whose steps wait for each other in different transactions need not promise it. */
export const arrivalOrderContract = ({ describe, it, expect }: Runner, shop: StoreShop) => {
  describe('step', () => {
    it('lets steps of one order in the same turn see each other, in order of arrival', async () => {
      const orderRef = await shop.place()
      const input = ['N-1', 'N-2', 'N-3', 'N-4']
      const answers = await Promise.all(
        input.map((first) =>
          shop.applyEvent(orderRef, { type: 'references.given', first, second: null }),
        ),
      )
      expect(answers.map(({ context }) => context.references.first)).toEqual(input)
      expect(answers.map(({ revision }) => revision)).toEqual([2, 3, 4, 5])
      expect((await shop.journal(orderRef)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    })
  })
}
