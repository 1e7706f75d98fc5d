// One promise, kept by every store: what the dispatcher and the use cases may rely on. The sections of a suite are the
// functions of the port; the titles are its promises.
import {
  type Entry,
  type Fault,
  heldReference,
  type Order,
  type OrderEvent,
  type Step,
  type Store,
  step,
  still,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliveriesContract } from './deliveries.contract.ts'
import { handOverContract } from './hand-over.contract.ts'
import { ordersContract } from './orders.contract.ts'
import { retentionContract } from './retention.contract.ts'
import {
  aMerchant,
  anotherPerson,
  CODE,
  ended,
  given,
  HOUR,
  lanesOf,
  MINUTE,
  NOON,
  openShop,
  SECOND,
  type Shop,
  terms,
} from './shop.ts'

export type OpenedStore = {
  readonly store: Store
  /** Moves the real time that leases are measured by; a store without it is not asked about leases that run. */
  readonly advanceRealTime?: (millis: number) => void
  readonly close: () => Promise<void>
}

/** `handsOver`: false where the store leaves to a claim whatever is due. */
export const storeContract = (name: string, open: () => Promise<OpenedStore>, { handsOver = true } = {}) =>
  describe(`${name} keeps the store contract`, () => {
    let opened: OpenedStore
    let shop: Shop
    beforeEach(async () => {
      opened = await open()
      shop = openShop(opened.store)
    })
    afterEach(() => opened.close())

    describe('place and read', () => {
      it('reads an order back as it was placed, with its journal', async () => {
        const placed = shop.placing(aMerchant(), 'A/1 "ñ"')
        await given(opened.store.place(placed, '{"order":{}}'))
        expect(await shop.read(placed.order.placed.orderRef)).toEqual(placed.order)
        expect(await shop.journal(placed.order.placed.orderRef)).toEqual(placed.journal)
      })

      it('reads an order back as its last step left it, with every line of its journal', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const left = await shop.tell(orderRef, { type: 'references.given', first: 'N-1', second: 'N-2' })
        const journal = await shop.journal(orderRef)
        expect(await shop.read(orderRef)).toEqual(left)
        expect(journal.map(({ seq }) => seq)).toEqual([1, 2, 3])
        expect(journal.map(({ event }) => event)).toEqual(['order.placed', 'person.submitted', 'references.given'])
        expect(journal[1]?.input?.event).toMatchObject({ person: { given_names: 'Ana María "✓"' } })
      })

      it('knows no order that was never placed', async () => {
        const unknown = { left: { _tag: 'OrderUnknown' } }
        expect(await opened.store.read('nobody')()).toMatchObject(unknown)
        expect(await opened.store.journal('nobody')()).toMatchObject(unknown)
        expect(
          await opened.store.step('nobody', (order) => E.right({ step: still(order), answer: 0 }))(),
        ).toMatchObject(unknown)
        expect(await opened.store.findHolder('demo', 'A-1')()).toMatchObject(unknown)
      })

      it('never lets a second order take the place of one', async () => {
        const placed = shop.placing()
        const { orderRef } = placed.order.placed
        await given(opened.store.place(placed, '{}'))
        const left = await shop.tell(orderRef, { type: 'references.given', first: 'N-1', second: null })
        expect(await opened.store.place(placed, '{}')()).toMatchObject({ left: { _tag: 'Unavailable' } })
        expect(await shop.read(orderRef)).toEqual(left)
      })
    })

    describe('step', () => {
      it('commits the order, its journal and its effects together', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        expect((await shop.read(orderRef)).state.checkout).toBe('verifyingPhone')
        expect((await shop.journal(orderRef)).at(-1)).toMatchObject({ event: 'person.submitted' })
        expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
      })

      it('answers with what was decided, once it can be read', async () => {
        const orderRef = await shop.place()
        const answered = await shop.tell(orderRef, { type: 'references.given', first: 'N-1', second: null })
        expect(answered.context.references.first).toBe('N-1')
        expect(await shop.read(orderRef)).toEqual(answered)
      })

      it('writes nothing when the decision is a refusal, and answers with it', async () => {
        const orderRef = await shop.place()
        const before = await everythingOf(shop, orderRef)
        const refused = opened.store.step<{ readonly _tag: 'Refused' }, null>(orderRef, () =>
          E.left({ _tag: 'Refused' }),
        )
        expect(await refused()).toEqual(E.left({ _tag: 'Refused' }))
        expect(await everythingOf(shop, orderRef)).toEqual(before)
      })

      it('writes nothing when the decision changes nothing, and answers all the same', async () => {
        const orderRef = await shop.place()
        const before = await everythingOf(shop, orderRef)
        expect(await shop.submit(orderRef, { nin: 'wrong' })).toMatchObject({ errors: { nin: 'invalid' } })
        expect(await given(opened.store.step(orderRef, (order) => E.right({ step: still(order), answer: 7 })))).toBe(7)
        expect(await everythingOf(shop, orderRef)).toEqual(before)
      })

      it('fails the caller whose decision throws, and nobody else of the same turn', async () => {
        const [first, second] = [await shop.place(), await shop.place()]
        const throwing = opened.store.step(first, () => {
          throw new Error('a fault of ours')
        })
        const [before, failed, after] = await Promise.all([shop.submit(first), throwing(), shop.submit(second)])
        expect(before).toEqual({ action: 'require_validate_otp' })
        expect(failed).toEqual(E.left({ _tag: 'Unavailable', message: 'a fault of ours' }))
        expect(after).toEqual({ action: 'require_validate_otp' })
        expect((await shop.journal(first)).map(({ event }) => event)).toEqual(['order.placed', 'person.submitted'])
      })

      it('refuses one step of a turn and commits the others', async () => {
        const [first, second] = [await shop.place(), await shop.place()]
        const refusing = opened.store.step<{ readonly _tag: 'Refused' }, null>(first, () => E.left({ _tag: 'Refused' }))
        const [, refused] = await Promise.all([shop.submit(first), refusing(), shop.submit(second)])
        expect(E.isLeft(refused)).toBe(true)
        expect((await shop.read(first)).state.checkout).toBe('verifyingPhone')
        expect((await shop.read(second)).state.checkout).toBe('verifyingPhone')
      })

      it('lets steps of one order in the same turn see each other, in order of arrival', async () => {
        const orderRef = await shop.place()
        const given = ['N-1', 'N-2', 'N-3', 'N-4']
        const answers = await Promise.all(
          given.map((first) => shop.tell(orderRef, { type: 'references.given', first, second: null })),
        )
        expect(answers.map(({ context }) => context.references.first)).toEqual(given)
        expect(answers.map(({ revision }) => revision)).toEqual([2, 3, 4, 5])
        expect((await shop.journal(orderRef)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
      })

      it('runs each of many steps of one turn exactly once', async () => {
        const refs = await Promise.all(Array.from({ length: 300 }, () => shop.place()))
        await Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
        const orders = await Promise.all(refs.map((orderRef) => shop.read(orderRef)))
        expect(new Set(orders.map(({ revision }) => revision))).toEqual(new Set([2]))
        expect(await shop.claim({ deliveries: 0, work: 1000 })).toHaveLength(300)
      })
    })

    describe('the reservation of order_ref_1', () => {
      const held = (orderRef1: string, merchantRef = 'demo') => opened.store.findHolder(merchantRef, orderRef1)()
      const holderOf = async (orderRef1: string, merchantRef = 'demo'): Promise<string> =>
        (await given(opened.store.findHolder(merchantRef, orderRef1))).placed.orderRef

      it('is made when the order enters confirmation, and not before', async () => {
        const orderRef = await shop.place(aMerchant(), 'A-1')
        expect(await held('A-1')).toMatchObject({ left: { _tag: 'OrderUnknown' } })
        await shop.lead(orderRef)
        expect(await holderOf('A-1')).toBe(orderRef)
      })

      it('refuses to place an order with a reference that is held', async () => {
        await shop.lead(await shop.place(aMerchant(), 'A-1'))
        const late = shop.placing(aMerchant(), 'A-1')
        expect(await opened.store.place(late, '{}')()).toEqual(E.left({ _tag: 'ReferenceTaken', reference: 'A-1' }))
        expect(await opened.store.read(late.order.placed.orderRef)()).toMatchObject({ left: { _tag: 'OrderUnknown' } })
      })

      it('asks for another decision where the reference is held, and commits what was said last', async () => {
        const [first, second] = [await shop.place(aMerchant(), 'A-1'), await shop.place(aMerchant(), 'A-1')]
        await shop.lead(first)
        expect(await leadCounting(shop, second)).toEqual([false, true])
        expect((await shop.read(second)).state.checkout).toBe('conflicted')
        expect(await holderOf('A-1')).toBe(first)
      })

      it('refuses a decision that does not give way, and writes nothing of it', async () => {
        const [first, second] = [await shop.place(aMerchant(), 'A-1'), await shop.place(aMerchant(), 'B-1')]
        await shop.lead(first)
        const before = await everythingOf(shop, second)
        const stubborn = opened.store.step<Fault, null>(second, (order) => {
          const event: OrderEvent = { type: 'references.given', first: 'A-1', second: null }
          return E.map((made: Step) => ({ step: made, answer: null }))(step(terms)(order, event, aMoment(shop)))
        })
        expect(await stubborn()).toEqual(E.left({ _tag: 'ReferenceTaken', reference: 'A-1' }))
        expect(await everythingOf(shop, second)).toEqual(before)
      })

      it('is refused to a step that asks for a held one and changes nothing else, and given where it is free', async () => {
        const [first, second] = [await shop.place(aMerchant(), 'A-1'), await shop.place(aMerchant(), 'B-1')]
        await shop.lead(first)
        const before = await everythingOf(shop, second)
        const asking = (reference: string) =>
          opened.store.step(second, (order) => E.right({ step: { ...still(order), reference }, answer: 'given' }))()
        expect(await asking('A-1')).toEqual(E.left({ _tag: 'ReferenceTaken', reference: 'A-1' }))
        expect(await asking('B-1')).toEqual(E.right('given'))
        expect(await everythingOf(shop, second)).toEqual(before)
      })

      it('goes to the first of two orders that race for it in one turn', async () => {
        const [first, second] = [await shop.place(aMerchant(), 'A-1'), await shop.place(aMerchant(), 'A-1')]
        for (const orderRef of [first, second]) {
          await shop.submit(orderRef)
          await shop.submit(orderRef, { validation_code: CODE })
        }
        await shop.work()
        await Promise.all([shop.submit(first), shop.submit(second)])
        expect((await shop.read(first)).state.checkout).toBe('confirming')
        expect((await shop.read(second)).state.checkout).toBe('conflicted')
      })

      it('stays with the order that is confirmed', async () => {
        const orderRef = await shop.place(aMerchant(), 'A-1')
        await confirm(shop, orderRef)
        expect(await holderOf('A-1')).toBe(orderRef)
      })

      it('is free again once the order has ended unconfirmed', async () => {
        const orderRef = await shop.place(aMerchant(), 'A-1')
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.settle(ipn, { type: 'ipn.conflicted', answers: ipn.key })
        const next = await shop.place(aMerchant(), 'A-1')
        await shop.lead(next)
        expect(await holderOf('A-1')).toBe(next)
      })

      it('is free again once the order is cancelled', async () => {
        const orderRef = await shop.place(aMerchant(), 'A-1')
        await confirm(shop, orderRef)
        await shop.cancel(orderRef)
        expect(await held('A-1')).toMatchObject({ left: { _tag: 'OrderUnknown' } })
        await shop.lead(await shop.place(aMerchant(), 'A-1'))
      })

      it('moves with the reference that the merchant gives', async () => {
        const orderRef = await shop.place(aMerchant(), 'A-1')
        await shop.lead(orderRef)
        const moved = await shop.tell(orderRef, { type: 'references.given', first: 'B-1', second: null })
        expect(heldReference(moved)).toBe('B-1')
        expect(await holderOf('B-1')).toBe(orderRef)
        expect(await held('A-1')).toMatchObject({ left: { _tag: 'OrderUnknown' } })
      })

      it('is one for each merchant', async () => {
        const other = aMerchant('other')
        const [ours, theirs] = [await shop.place(aMerchant(), 'A-1'), await shop.place(other, 'A-1')]
        await shop.lead(ours)
        await shop.lead(theirs)
        expect(await holderOf('A-1')).toBe(ours)
        expect(await holderOf('A-1', 'other')).toBe(theirs)
      })

      it('is made of references of any length, and holds up no other order’s', async () => {
        // What repeats would be stored short.
        const long = Array.from({ length: 8_000 }, (_, n) => ((n * 2_654_435_761) >>> 0).toString(36)).join('-')
        const refs = [
          await shop.place(aMerchant(), long),
          await shop.place(aMerchant(), `${long}.`),
          await shop.place(aMerchant(), 'A-1'),
        ]
        await Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
        await Promise.all(refs.map((orderRef) => shop.submit(orderRef, { validation_code: CODE })))
        await shop.work()
        await Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
        expect(await Promise.all([long, `${long}.`, 'A-1'].map((reference) => holderOf(reference)))).toEqual(refs)
        const late = shop.placing(aMerchant(), long)
        expect(await opened.store.place(late, '{}')()).toEqual(E.left({ _tag: 'ReferenceTaken', reference: long }))
        await shop.tell(String(refs[0]), { type: 'references.given', first: 'B-1', second: null })
        expect(await held(long)).toMatchObject({ left: { _tag: 'OrderUnknown' } })
      })

      it('is never made for an order without a reference', async () => {
        const [first, second] = [await shop.place(), await shop.place()]
        await shop.lead(first)
        await shop.lead(second)
        expect((await shop.read(second)).state.checkout).toBe('confirming')
        expect(await held('')).toMatchObject({ left: { _tag: 'OrderUnknown' } })
      })
    })

    describe('claim', () => {
      it('takes what is due, and nothing before', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        expect(await shop.claim({ at: NOON - 1 })).toEqual([])
        expect(lanesOf(await shop.claim({ at: NOON }))).toEqual(['action', 'sms'])
        expect(lanesOf(await shop.claim({ at: NOON + 24 * HOUR - 1 }))).toEqual([])
        expect(lanesOf(await shop.claim({ at: NOON + 24 * HOUR }))).toEqual(['timer.checkoutLifetime'])
      })

      it('gives an entry everything that carrying it out takes', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const [sms] = await shop.claim({ at: NOON + 3, deliveries: 0 })
        expect(sms).toEqual({
          key: `${orderRef}:2:sms`,
          orderRef,
          merchantRef: 'demo',
          lane: 'sms',
          work: { kind: 'sms', to: '600123456', text: `Your code is ${CODE}.`, code: CODE },
          until: NOON + 5 * MINUTE,
          attempt: 1,
          isResend: false,
          firstAt: NOON + 3,
          startedAt: NOON + 3,
          token: expect.any(String),
        })
      })

      it('takes no entry twice', async () => {
        await shop.submit(await shop.place())
        await shop.submit(await shop.place())
        const [first, second] = await Promise.all([shop.claim({ work: 1, deliveries: 1 }), shop.claim()])
        expect(lanesOf(first)).toEqual(['action', 'sms'])
        expect(lanesOf(second)).toEqual(['action', 'sms'])
        expect(new Set([...first, ...second].map(({ key }) => key)).size).toBe(4)
        expect(new Set([...first, ...second].map(({ token }) => token)).size).toBe(4)
        expect(await shop.claim()).toEqual([])
      })

      it('takes the oldest first', async () => {
        const refs: string[] = []
        for (let count = 0; count < 3; count++) {
          refs.push(await shop.place())
          shop.advance(SECOND)
        }
        for (const orderRef of refs.toReversed()) {
          await shop.submit(orderRef)
          shop.advance(SECOND)
        }
        const taken = [await shop.claim({ work: 1 }), await shop.claim({ work: 1 }), await shop.claim({ work: 1 })]
        expect(taken.flat().flatMap(({ lane, orderRef }) => (lane === 'sms' ? orderRef : []))).toEqual(
          refs.toReversed(),
        )
      })

      it('is first in, first out for one order and lane', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        await shop.submit(orderRef, { validation_code: CODE })
        const first = await shop.claimOne(orderRef, 'action')
        expect(first.key).toBe(`${orderRef}:2:action`)
        expect(lanesOf(await shop.claim({ work: 0 }))).toEqual([])
        await shop.settle(first, null)
        expect((await shop.claimOne(orderRef, 'action')).key).toBe(`${orderRef}:3:action`)
      })

      it('holds a lane up for nothing but its own head', async () => {
        const [orderRef, other] = [await shop.place(), await shop.place()]
        await shop.lead(orderRef)
        await shop.submit(other)
        const action = await shop.claimOne(orderRef, 'action')
        expect(action.orderRef).toBe(orderRef)
        const rest = await shop.claim({ work: 0 })
        expect(rest.map(({ orderRef: ref, lane }) => [ref === orderRef, lane])).toEqual(
          expect.arrayContaining([
            [true, 'ipn'],
            [false, 'action'],
          ]),
        )
        expect(rest).toHaveLength(2)
      })

      it('takes as much as there is room for, of deliveries and of other work apart', async () => {
        for (let count = 0; count < 3; count++) await shop.submit(await shop.place())
        expect(lanesOf(await shop.claim({ work: 2, deliveries: 0 }))).toEqual(['sms', 'sms'])
        expect(lanesOf(await shop.claim({ work: 0, deliveries: 1 }))).toEqual(['action'])
        expect(await shop.claim({ work: 0, deliveries: 0 })).toEqual([])
        expect(lanesOf(await shop.claim())).toEqual(['action', 'action', 'sms'])
      })

      it('takes no more of one merchant than may be in flight, events and IPNs counted apart', async () => {
        for (let count = 0; count < 3; count++) await shop.lead(await shop.place())
        const taken = await shop.claim({ work: 0, perMerchant: 2 })
        expect(lanesOf(taken)).toEqual(['action', 'action', 'ipn', 'ipn'])
        expect(await shop.claim({ work: 0, perMerchant: 2 })).toEqual([])
        const [done] = taken.filter(({ lane }) => lane === 'ipn')
        if (done !== undefined) await shop.settle(done, null)
        expect(lanesOf(await shop.claim({ work: 0, perMerchant: 2 }))).toEqual(['ipn'])
      })

      it('counts no other work against the merchant', async () => {
        for (let count = 0; count < 6; count++) await shop.submit(await shop.place())
        expect(await shop.claim({ deliveries: 0, perMerchant: 1 })).toHaveLength(6)
      })

      it('takes one of every merchant before two of any', async () => {
        for (let count = 0; count < 3; count++) await shop.submit(await shop.place(aMerchant('busy')))
        shop.advance(SECOND)
        await shop.submit(await shop.place(aMerchant('calm')))
        const taken = await shop.claim({ work: 0, deliveries: 2 })
        expect(taken.map(({ merchantRef }) => merchantRef).sort()).toEqual(['busy', 'calm'])
      })

      it('counts what is in flight already before it takes more of the same merchant', async () => {
        for (let count = 0; count < 3; count++) await shop.submit(await shop.place(aMerchant('busy')))
        await shop.claim({ work: 0, deliveries: 1 })
        shop.advance(SECOND)
        await shop.submit(await shop.place(aMerchant('calm')))
        expect((await shop.claim({ work: 0, deliveries: 1 })).map(({ merchantRef }) => merchantRef)).toEqual(['calm'])
      })

      it('gives room that others leave to whoever has more, in turns', async () => {
        for (const ref of ['few', 'many', 'more']) await shop.submit(await shop.place(aMerchant(ref)))
        for (let count = 0; count < 4; count++)
          for (const ref of ['many', 'more']) await shop.submit(await shop.place(aMerchant(ref)))
        const claim = async (deliveries: number) => {
          const taken = await shop.claim({ work: 0, deliveries, perMerchant: 9 })
          return taken.map(({ merchantRef }) => merchantRef).sort()
        }
        expect(await claim(2)).toEqual(['few', 'many'])
        expect(await claim(4)).toEqual(['many', 'many', 'more', 'more'])
        expect(await claim(9)).toEqual(['many', 'many', 'more', 'more', 'more'])
      })

      it('favours no merchant for its name', async () => {
        await shop.submit(await shop.place(aMerchant('zoo')))
        shop.advance(SECOND)
        await shop.submit(await shop.place(aMerchant('aardvark')))
        expect((await shop.claim({ work: 0, deliveries: 1 })).map(({ merchantRef }) => merchantRef)).toEqual(['zoo'])
      })
    })

    describe('what stands behind a lane', () => {
      const lifetime = 'timer.checkoutLifetime'
      const atItsEnd = { at: NOON + 24 * HOUR }

      it('waits while an attempt in that lane is in flight, and goes after it', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        expect(lanesOf(await shop.claim({ ...atItsEnd, deliveries: 0 }))).toEqual([])
        await shop.settle(ipn, { type: 'ipn.erred', answers: ipn.key }, { type: 'again', dueAt: NOON + 25 * HOUR })
        expect(lanesOf(await shop.claim({ ...atItsEnd, deliveries: 0 }))).toEqual([lifetime])
      })

      it('goes at once where that lane only waits', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        expect(lanesOf(await shop.claim({ ...atItsEnd, deliveries: 0 }))).toContain(lifetime)
      })

      it('keeps that lane waiting while it is in flight itself', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const timer = await shop.claimOne(orderRef, lifetime, { ...atItsEnd, deliveries: 0 })
        expect(lanesOf(await shop.claim({ ...atItsEnd, work: 0 }))).toEqual(['action'])
        await shop.settle(timer, null)
        expect(lanesOf(await shop.claim({ ...atItsEnd, work: 0 }))).toEqual(['ipn'])
      })

      it('goes first where it fell due first', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.settle(ipn, null, { type: 'again', dueAt: NOON + 25 * HOUR })
        expect(lanesOf(await shop.claim({ at: NOON + 30 * HOUR }))).toEqual(['action', lifetime])
      })

      it('goes second where it fell due second', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        expect(lanesOf(await shop.claim({ at: NOON + 30 * HOUR }))).toEqual(['action', 'ipn'])
      })

      it('waits for no other order', async () => {
        const [orderRef, other] = [await shop.place(), await shop.place()]
        await shop.lead(orderRef)
        await shop.claimOne(orderRef, 'ipn')
        const taken = await shop.claim({ ...atItsEnd, deliveries: 0 })
        expect(taken.map(({ orderRef: ref, lane }) => [ref, lane])).toEqual([[other, lifetime]])
      })
    })

    describe('a lease', () => {
      it('passes on at its end, and not before', async ({ skip }) => {
        const { advanceRealTime } = opened
        if (advanceRealTime === undefined) return skip('the store reads real time by itself')
        await shop.submit(await shop.place())
        const [first] = await shop.claim({ deliveries: 0, lease: 60_000 })
        advanceRealTime(59_999)
        expect(await shop.claim({ deliveries: 0 })).toEqual([])
        advanceRealTime(1)
        const [second] = await shop.claim({ deliveries: 0, at: NOON + MINUTE })
        expect(second).toEqual({ ...first, attempt: 2, startedAt: NOON + MINUTE, token: expect.any(String) })
        expect(second?.token).not.toBe(first?.token)
      })

      it('that has passed on lets nothing be settled with its token, not even a step', async () => {
        const orderRef = await shop.place()
        const late = await screeningInFlight(shop, orderRef, { lease: 0 })
        const current = await shop.claimOne(orderRef, 'screening')
        const before = await everythingOf(shop, orderRef)
        expect(await shop.settle(late, approval(late))).toBe('lost')
        expect(await everythingOf(shop, orderRef)).toEqual(before)
        expect(await shop.settle(current, approval(current))).toBe('settled')
        expect((await shop.read(orderRef)).state.checkout).toBe('screened')
      })

      it('that has ended still settles while nobody has taken the entry over', async () => {
        const orderRef = await shop.place()
        const entry = await screeningInFlight(shop, orderRef, { lease: 0 })
        expect(await shop.settle(entry, approval(entry))).toBe('settled')
      })

      it('counts attempts, and anchors the first of them', async () => {
        await shop.submit(await shop.place())
        const attempts: (readonly [number, number, number])[] = []
        for (const at of [NOON + 1, NOON + 20, NOON + 300]) {
          const [sms] = await shop.claim({ at, lease: 0, deliveries: 0 })
          if (sms !== undefined) attempts.push([sms.attempt, sms.firstAt, sms.startedAt])
        }
        expect(attempts).toEqual([
          [1, NOON + 1, NOON + 1],
          [2, NOON + 1, NOON + 20],
          [3, NOON + 1, NOON + 300],
        ])
      })
    })

    describe('settle', () => {
      it('writes the conclusion and the step in one transaction', async () => {
        const orderRef = await shop.place()
        const entry = await screeningInFlight(shop, orderRef)
        expect(await shop.settle(entry, approval(entry))).toBe('settled')
        expect((await shop.read(orderRef)).state.checkout).toBe('screened')
        expect((await shop.journal(orderRef)).at(-1)).toMatchObject({ event: 'screening.resolved', detail: 'approved' })
        expect(lanesOf(await shop.claim({ at: NOON + 23 * HOUR, deliveries: 0 }))).not.toContain('screening')
      })

      it('settles once', async () => {
        const orderRef = await shop.place()
        const entry = await screeningInFlight(shop, orderRef)
        expect(await shop.settle(entry, approval(entry))).toBe('settled')
        expect(await shop.settle(entry, approval(entry))).toBe('lost')
        expect((await shop.journal(orderRef)).filter(({ event }) => event === 'screening.resolved')).toHaveLength(1)
      })

      it('concludes without a step where the answer tells the order nothing', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const before = await shop.read(orderRef)
        expect(await shop.settle(await shop.claimOne(orderRef, 'sms'), null)).toBe('settled')
        expect(await shop.read(orderRef)).toEqual(before)
        expect(lanesOf(await shop.claim({ deliveries: 0 }))).toEqual([])
      })

      it('to be tried again keeps the entry, its count and its anchor', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const [first] = await shop.claim({ deliveries: 0 })
        if (first !== undefined) await shop.settle(first, null, { type: 'again', dueAt: NOON + 10 * SECOND })
        expect(await shop.claim({ at: NOON + 10 * SECOND - 1, deliveries: 0 })).toEqual([])
        expect(await shop.claim({ at: NOON + 10 * SECOND, deliveries: 0 })).toEqual([
          { ...first, attempt: 2, startedAt: NOON + 10 * SECOND, token: expect.any(String) },
        ])
      })

      it('to be tried again keeps the head of its lane', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        await shop.submit(orderRef, { validation_code: CODE })
        const first = await shop.claimOne(orderRef, 'action')
        await shop.settle(first, null, { type: 'again', dueAt: NOON + HOUR })
        expect(await shop.claim({ work: 0, at: NOON + HOUR - 1 })).toEqual([])
        expect((await shop.claim({ work: 0, at: NOON + HOUR })).map(({ key }) => key)).toEqual([first.key])
      })

      it('lets the step withdraw what is to be tried again', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.putConfirmed(orderRef)
        const answer: OrderEvent = { type: 'ipn.erred', answers: ipn.key }
        expect(await shop.settle(ipn, answer, { type: 'again', dueAt: NOON + SECOND })).toBe('settled')
        expect((await shop.read(orderRef)).state.checkout).toBe('confirmed')
        expect(lanesOf(await shop.claim({ at: NOON + 200 * HOUR }))).not.toContain('ipn')
      })

      const faults: readonly (readonly [string, () => E.Either<{ readonly message: string }, never>])[] = [
        ['cannot be made', () => E.left({ message: 'a fault of ours' })],
        [
          'throws',
          () => {
            throw new Error('a fault of ours')
          },
        ],
      ]
      for (const [what, fault] of faults)
        it(`parks an entry whose step ${what}, and writes nothing of the step`, async () => {
          const orderRef = await shop.place()
          await shop.submit(orderRef)
          await shop.submit(orderRef, { validation_code: CODE })
          const [order, journal] = [await shop.read(orderRef), await shop.journal(orderRef)]
          const entry = await shop.claimOne(orderRef, 'action')
          expect(await given(opened.store.settle(entry, ended(), fault, null))).toBe('stuck')
          expect(await shop.read(orderRef)).toEqual(order)
          expect(await shop.journal(orderRef)).toEqual(journal)
          expect(await given(opened.store.stuck())).toEqual([{ key: entry.key, orderRef, message: 'a fault of ours' }])
          // Its lane goes on, and it is never sent again by itself.
          const next = await shop.claim({ work: 0, at: NOON + HOUR })
          expect(next.map(({ key }) => key)).toEqual([`${orderRef}:3:action`])
          expect(await shop.claim({ work: 0, at: NOON + 999 * HOUR })).toEqual([])
          expect(await shop.settle(entry, null)).toBe('lost')
        })

      it('lists what is stuck, of every order and kind of work, in the order it was asked for', async () => {
        const [first, second] = [await shop.place(), await shop.place()]
        await shop.submit(second)
        await shop.submit(first)
        expect(await given(opened.store.stuck())).toEqual([])
        for (const [orderRef, lane] of [
          [first, 'action'],
          [second, 'action'],
          [second, 'sms'],
        ] as const)
          await given(
            opened.store.settle(
              await shop.claimOne(orderRef, lane),
              ended(),
              () => E.left({ message: `no ${lane}` }),
              null,
            ),
          )
        expect(await given(opened.store.stuck())).toEqual([
          { key: `${second}:2:sms`, orderRef: second, message: 'no sms' },
          { key: `${second}:2:action`, orderRef: second, message: 'no action' },
          { key: `${first}:2:action`, orderRef: first, message: 'no action' },
        ])
      })

      it('carries out again, under its own key, what is stuck and is released', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const parked = await shop.claimOne(orderRef, 'sms')
        await given(opened.store.settle(parked, ended(), () => E.left({ message: 'no step' }), null))
        await given(opened.store.unpark(parked.key, NOON + MINUTE))
        expect(await given(opened.store.stuck())).toEqual([])
        expect(await shop.claim({ deliveries: 0, at: NOON + MINUTE - 1 })).toEqual([])
        const again = await shop.claimOne(orderRef, 'sms', { at: NOON + MINUTE })
        expect(again).toMatchObject({ key: parked.key, work: parked.work, attempt: 2 })
        expect(await shop.settle(again, null)).toBe('settled')
      })

      it('releases what is stuck behind what has come into its lane since', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const parked = await shop.claimOne(orderRef, 'action')
        await given(opened.store.settle(parked, ended(), () => E.left({ message: 'no step' }), null))
        await shop.submit(orderRef, { validation_code: CODE })
        const next = await shop.claimOne(orderRef, 'action')
        await given(opened.store.unpark(parked.key, NOON))
        expect(lanesOf(await shop.claim({ work: 0 }))).toEqual([])
        await shop.settle(next, null)
        expect((await shop.claimOne(orderRef, 'action')).key).toBe(parked.key)
      })

      it('says so where nothing of that key is stuck', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        for (const key of [`${orderRef}:2:sms`, `${orderRef}:9:sms`, 'no key'])
          expect(await opened.store.unpark(key, NOON)()).toEqual(E.left({ _tag: 'EntryUnknown' }))
      })

      it('fires a timer once', async () => {
        const orderRef = await shop.place()
        await screeningInFlight(shop, orderRef)
        shop.advance(MINUTE)
        const timer = await shop.claimOne(orderRef, 'timer.screeningWindow')
        expect(await shop.settle(timer, timerFired(timer))).toBe('settled')
        expect((await shop.read(orderRef)).context.screening.outcome).toBe('expired')
        expect(await shop.settle(timer, timerFired(timer))).toBe('lost')
        expect((await shop.journal(orderRef)).filter(({ event }) => event === 'timer.fired')).toHaveLength(1)
        expect(lanesOf(await shop.claim({ at: NOON + 23 * HOUR, deliveries: 0 }))).not.toContain(
          'timer.screeningWindow',
        )
      })
    })

    describe('withdraw', () => {
      it('stops what is pending in the lane', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        await shop.submit(orderRef, { validation_code: CODE })
        expect(lanesOf(await shop.claim({ deliveries: 0, at: NOON + HOUR }))).toEqual([
          'cards',
          'screening',
          'timer.screeningWindow',
        ])
      })

      it('leaves what is in flight to finish, and sends it no more', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const sms = await shop.claimOne(orderRef, 'sms')
        await shop.submit(orderRef, { validation_code: CODE })
        expect(await shop.settle(sms, null, { type: 'again', dueAt: NOON })).toBe('settled')
        expect(lanesOf(await shop.claim({ deliveries: 0, at: NOON + HOUR }))).not.toContain('sms')
      })

      it('leaves its answer to the order, which it changes nothing of', async () => {
        const orderRef = await shop.place()
        const screening = await screeningInFlight(shop, orderRef)
        await shop.submit(orderRef, anotherPerson)
        const before = await shop.read(orderRef)
        expect(await shop.settle(screening, approval(screening))).toBe('settled')
        const after = await shop.read(orderRef)
        expect(after.state).toEqual(before.state)
        expect((await shop.journal(orderRef)).at(-1)).toMatchObject({
          event: 'screening.resolved',
          detail: 'nobody awaits it: changes nothing',
        })
      })

      const lettingGo: readonly (readonly [string, (entry: Entry) => Promise<unknown>])[] = [
        ['its lease ends', () => shop.claim({ deliveries: 0, work: 0 })],
        ['it is given back', (entry) => given(opened.store.release([entry], 'begun'))],
      ]
      for (const [when, letGo] of lettingGo)
        it(`sends it no more when ${when}`, async () => {
          const orderRef = await shop.place()
          await shop.submit(orderRef)
          const sms = await shop.claimOne(orderRef, 'sms', { lease: 0 })
          await shop.submit(orderRef, { validation_code: CODE })
          await letGo(sms)
          expect(lanesOf(await shop.claim({ deliveries: 0, at: NOON + HOUR }))).not.toContain('sms')
        })

      it('lets what was done anew in the lane go once what is in flight has finished', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const first = await shop.claimOne(orderRef, 'sms')
        shop.advance(31 * SECOND)
        await shop.submit(orderRef)
        expect(await shop.claim({ deliveries: 0 })).toEqual([])
        await shop.settle(first, null, { type: 'again', dueAt: NOON })
        expect((await shop.claimOne(orderRef, 'sms')).key).toBe(`${orderRef}:3:sms`)
      })
    })

    describe('hasten', () => {
      it('makes what is pending in the lane due at once', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const ipn = await shop.claimOne(orderRef, 'ipn')
        await shop.settle(ipn, { type: 'ipn.erred', answers: ipn.key }, { type: 'again', dueAt: NOON + HOUR })
        shop.advance(SECOND)
        expect(lanesOf(await shop.claim({ work: 0, deliveries: 1 }))).toEqual(['action'])
        await shop.putConfirmed(orderRef)
        expect((await shop.claimOne(orderRef, 'ipn')).key).toBe(ipn.key)
      })

      it('delays nothing that is due already', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        shop.advance(SECOND)
        await shop.putConfirmed(orderRef)
        expect(lanesOf(await shop.claim({ work: 0, at: NOON }))).toEqual(['action', 'ipn'])
      })
    })

    describe('release', () => {
      it('gives claims back to whoever claims next', async () => {
        await shop.submit(await shop.place())
        const [sms] = await shop.claim({ deliveries: 0 })
        if (sms === undefined) throw new Error('Nothing is due.')
        await given(opened.store.release([sms], 'begun'))
        expect(await shop.settle(sms, null)).toBe('lost')
        const [again] = await shop.claim({ deliveries: 0 })
        expect(again?.key).toBe(sms.key)
        expect(again?.token).not.toBe(sms.token)
      })

      it('of what was begun counts, and of what was not does not', async () => {
        await shop.submit(await shop.place())
        const attempts: number[] = []
        for (const as of ['begun', 'unbegun', 'unbegun', 'begun'] as const) {
          const [sms] = await shop.claim({ deliveries: 0 })
          if (sms === undefined) throw new Error('Nothing is due.')
          attempts.push(sms.attempt)
          await given(opened.store.release([sms], as))
        }
        expect(attempts).toEqual([1, 2, 2, 2])
      })

      it('leaves alone what another has claimed since', async () => {
        await shop.submit(await shop.place())
        const [first] = await shop.claim({ deliveries: 0, lease: 0 })
        const [second] = await shop.claim({ deliveries: 0 })
        if (first === undefined || second === undefined) throw new Error('Nothing is due.')
        await given(opened.store.release([first], 'begun'))
        expect(await shop.settle(second, null)).toBe('settled')
      })
    })

    describe('nextDueAt', () => {
      it('is null where nothing is pending', async () => {
        expect(await given(opened.store.nextDueAt())).toBeNull()
      })

      it('tells the soonest of what is pending, of every kind', async () => {
        const orderRef = await shop.place()
        expect(await given(opened.store.nextDueAt())).toBe(NOON + 24 * HOUR)
        shop.advance(SECOND)
        await shop.submit(orderRef)
        expect(await given(opened.store.nextDueAt())).toBe(NOON + SECOND)
        const [action] = await shop.claim({ work: 0 })
        const [sms] = await shop.claim({ deliveries: 0 })
        if (action === undefined || sms === undefined) throw new Error('Nothing is due.')
        expect(await given(opened.store.nextDueAt())).toBe(NOON + 24 * HOUR)
        await shop.settle(sms, null, { type: 'again', dueAt: NOON + HOUR })
        expect(await given(opened.store.nextDueAt())).toBe(NOON + HOUR)
        await shop.settle(action, null, { type: 'again', dueAt: NOON + MINUTE })
        expect(await given(opened.store.nextDueAt())).toBe(NOON + MINUTE)
      })
    })

    deliveriesContract(() => ({ ...opened, shop }))
    ordersContract(() => shop)
    handOverContract(() => ({ ...opened, shop }), handsOver)
    retentionContract(() => shop)

    describe('backlog', () => {
      const nothing = { work: null, event: null, ipn: null }

      it('is empty where nothing is pending', async () => {
        expect(await given(opened.store.backlog())).toEqual({ nextDueAt: nothing, stuck: 0 })
      })

      it('tells when the next of each class is due, overdue ones too, and leaves out what is in flight', async () => {
        const orderRef = await shop.place()
        await shop.lead(orderRef)
        const { nextDueAt } = await given(opened.store.backlog())
        expect(nextDueAt).toMatchObject({ event: NOON, ipn: NOON })
        shop.advance(HOUR)
        expect(await given(opened.store.backlog())).toEqual({ nextDueAt, stuck: 0 })
        const claimed = await shop.claim()
        expect((await given(opened.store.backlog())).nextDueAt).toMatchObject({ event: null, ipn: null })
        await given(opened.store.release(claimed, 'begun'))
        expect(await given(opened.store.backlog())).toEqual({ nextDueAt, stuck: 0 })
      })

      it('counts what is stuck, which is due no longer', async () => {
        const orderRef = await shop.place()
        await shop.submit(orderRef)
        const entry = await shop.claimOne(orderRef, 'sms')
        await given(opened.store.settle(entry, ended(), () => E.left({ message: 'a fault of ours' }), null))
        const { nextDueAt, stuck } = await given(opened.store.backlog())
        expect(stuck).toBe(1)
        // The checkout's lifetime is all other work there is.
        expect(nextDueAt.work).toBe(NOON + 24 * HOUR)
      })
    })
  })

const approval = ({ key }: Entry): OrderEvent => ({
  type: 'screening.resolved',
  answers: key,
  outcome: 'approved',
  alternative: null,
})

const timerFired = ({ key, work }: Entry): OrderEvent => ({
  type: 'timer.fired',
  answers: key,
  timer: work.kind === 'timer' ? work.timer : '',
})

const aMoment = (shop: Shop) => ({ at: shop.now(), fresh: { code: CODE, token: 'token' }, referenceIsTaken: false })

const screeningInFlight = async (shop: Shop, orderRef: string, asking = {}): Promise<Entry> => {
  await shop.submit(orderRef)
  await shop.submit(orderRef, { validation_code: CODE })
  return shop.claimOne(orderRef, 'screening', asking)
}

const confirm = async (shop: Shop, orderRef: string): Promise<void> => {
  await shop.lead(orderRef)
  const ipn = await shop.claimOne(orderRef, 'ipn')
  await shop.settle(ipn, { type: 'ipn.accepted', answers: ipn.key })
}

/** Leads the order on, and tells what its last decision was told of the reference each time it was made. */
const leadCounting = async (shop: Shop, orderRef: string): Promise<readonly boolean[]> => {
  await shop.submit(orderRef)
  await shop.submit(orderRef, { validation_code: CODE })
  await shop.work()
  const told: boolean[] = []
  const { person } = (await shop.read(orderRef)).context
  if (person === null) throw new Error('Nobody has identified.')
  await given(
    shop.store.step<Fault, null>(orderRef, (order, referenceIsTaken) => {
      told.push(referenceIsTaken)
      const event: OrderEvent = { type: 'person.submitted', person, agreement: null }
      const made = step(terms)(order, event, { ...aMoment(shop), referenceIsTaken })
      return E.map((next: Step) => ({ step: next, answer: null }))(made)
    }),
  )
  return told
}

/** All that the store tells of an order, but for what a claim would change. */
const everythingOf = async (
  shop: Shop,
  orderRef: string,
): Promise<{ readonly order: Order; readonly journal: unknown; readonly due: unknown }> => ({
  order: await shop.read(orderRef),
  journal: await shop.journal(orderRef),
  due: await given(shop.store.nextDueAt()),
})
