// The contract of the port that erases a shopper's data: the order stays, the shopper's data does not. A
// resend must not bring back what was erased, and an erasure must not overtake a resend.
import {
  type Capabilities,
  effectKeyParts,
  eraseShopper,
  eraseShopperData,
  type FullStore,
  type InternalError,
  type JournalLine,
  laneOfKey,
  type Order,
  type ShopperErasure,
  type Store,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import { citeSection, type Runner } from './runner.ts'
import {
  anotherPerson,
  aPerson,
  HOUR,
  listedDeliveries,
  openShop,
  type StoreShop,
  unwrap,
} from './shop.ts'
import {
  attemptReport,
  confirmByIpn,
  finishedAction,
  finishJobs,
  resend,
} from './store-fixtures.ts'

/** What the tests of an erasure get for each test. */
export type OpenedErasure = {
  /** With `deliveries`, if `erasureAndResendsContract` runs. */
  readonly store: Store & Partial<Capabilities>
  /**
   * The erasure port of the same orders. If several processes can write them, it belongs to another
   * process, so that the tests also cover what the store's process has in its caches.
   */
  readonly erasure: ShopperErasure
  readonly close: () => Promise<void>
}

const ANSWERED = attemptReport(200, { response: 'to Ana' })

/**
 * Defines the tests of the port that erases a shopper's data. `open` is called before each test.
 * docs/privacy-and-security.md.
 */
export const erasureContract = (
  runner: Runner,
  name: string,
  open: () => Promise<OpenedErasure>,
): void => {
  const { describe, it, beforeEach, afterEach, expect } = citeSection(
    runner,
    'docs/privacy-and-security.md',
  )
  describe(`${name} keeps the contract of erasure`, () => {
    let opened: OpenedErasure
    let shop: StoreShop
    let orderRef: string
    beforeEach(async () => {
      opened = await open()
      // A capability that is missing here has no test that runs.
      shop = openShop(opened.store as FullStore)
      orderRef = await shop.place()
    })
    afterEach(() => opened.close())

    const erase = () =>
      eraseShopperData({ erasure: opened.erasure, clock: { now: shop.now } })(orderRef)()

    const inputs = async (ref = orderRef): Promise<readonly JournalLine['input'][]> =>
      (await shop.journal(ref)).map(({ input }) => input).filter((input) => input !== null)

    const confirmOrder = (): Promise<void> => confirmByIpn(shop, orderRef, ANSWERED)

    /** Runs everything that is pending, and returns the order. */
    const finishAll = async (): Promise<Order> => {
      await finishJobs(shop, ANSWERED)
      return shop.read(orderRef)
    }

    /** A confirmed order that was cancelled, with nothing pending. */
    const finishOrder = async (): Promise<Order> => {
      await confirmOrder()
      await shop.cancel(orderRef)
      return finishAll()
    }

    it('leaves the order as it was, except for its shopper and a line about the erasure', async () => {
      const before = await finishOrder()
      const history = await shop.journal(orderRef)
      expect(JSON.stringify(before.context)).toContain(aPerson.nin)
      expect(await erase()).toEqual(E.right('erased'))
      const after = await shop.read(orderRef)
      expect(after).toMatchObject({
        revision: before.revision + 1,
        state: before.state,
        placed: before.placed,
      })
      expect(after).toEqual(eraseShopper(before, shop.now()).order)
      expect(await shop.journal(orderRef)).toEqual([
        ...history.map((line) => ({ ...line, input: null })),
        ...eraseShopper(before, shop.now()).journal,
      ])
    })

    it('happens once, no matter how often it is requested, and only for this order', async () => {
      await finishOrder()
      const other = await shop.place()
      await shop.submit(other, anotherPerson)
      expect(await Promise.all([erase(), erase()])).toEqual(
        expect.arrayContaining([E.right('erased'), E.right('already_erased')]),
      )
      const after = await shop.read(orderRef)
      shop.advance(1)
      expect(await erase()).toEqual(E.right('already_erased'))
      expect(await shop.read(orderRef)).toEqual(after)
      expect((await shop.read(other)).context.person).toMatchObject(anotherPerson)
      expect(await inputs(other)).not.toEqual([])
    })

    it('when repeated, destroys the data that has arrived since', async () => {
      await confirmOrder()
      await finishAll()
      expect(await erase()).toEqual(E.right('erased'))
      await shop.cancel(orderRef)
      const before = await finishAll()
      expect(await inputs()).not.toEqual([])
      expect(await erase()).toEqual(E.right('already_erased'))
      expect(await inputs()).toEqual([])
      expect(await shop.read(orderRef)).toEqual(eraseShopper(before, shop.now()).order)
      expect(await erase()).toEqual(E.right('already_erased'))
      expect(
        (await shop.journal(orderRef)).filter(({ event }) => event === 'shopper.forgotten'),
      ).toHaveLength(2)
    })

    it('lets no concurrent decision write the shopper’s data back', async () => {
      await finishOrder()
      const startDecision = () =>
        unwrap(
          opened.store.step<InternalError, string>(orderRef, (order) => {
            const revision = order.revision + 1
            const line = {
              seq: revision,
              at: shop.now(),
              event: 'order.updated',
              detail: null,
              input: null,
            }
            const journal = [{ ...line, from: order.state, to: order.state }]
            const step = { order: { ...order, revision }, effects: [], journal, reference: null }
            return E.right({ step, answer: JSON.stringify(order.context.person) })
          }),
        )
      const [, done] = await Promise.all([
        startDecision(),
        erase(),
        startDecision(),
        startDecision(),
      ])
      expect(done).toEqual(E.right('erased'))
      expect(await startDecision()).toBe('null')
      expect(JSON.stringify((await shop.read(orderRef)).context)).not.toContain(aPerson.nin)
      expect(await inputs()).toEqual([])
    })

    it('is refused while jobs are pending, with their lanes, and while the order needs the shopper', async () => {
      await shop.submit(orderRef)
      const before = await shop.read(orderRef)
      const erasing = opened.erasure.erase(orderRef, (order) =>
        E.right(eraseShopper(order, shop.now())),
      )
      expect(await erasing()).toMatchObject({
        left: { _tag: 'StillPending', lanes: expect.arrayContaining(['action', 'sms']) },
      })
      expect(await erase()).toMatchObject({ left: { _tag: 'Refused' } })
      expect(await shop.read(orderRef)).toEqual(before)
      expect(await inputs()).not.toEqual([])
    })

    it('reports that an order was never placed', async () => {
      for (orderRef of ['nobody', '00000000-0000-4000-8000-00000000ffff'])
        expect(await erase()).toEqual(E.left({ _tag: 'OrderNotFound' }))
    })
  })
}

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
