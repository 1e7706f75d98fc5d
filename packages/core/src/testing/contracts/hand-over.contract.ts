// Store contract: a commit can hand the effects that it creates directly to the taker that runs them.
import {
  type ClaimRequest,
  type Decide,
  type Effect,
  effectKey,
  type InternalError,
  type Job,
  type OrderEvent,
  type Step,
  step,
  type Taker,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { aMerchant, CODE, finishedAs, HOUR, lanesOf, MINUTE, NOON, type StoreShop, terms, unwrap } from './shop.ts'
import type { OpenedShop } from './store-fixtures.ts'

type DoEffect = Extract<Effect, { readonly type: 'do' }>

/** A taker that accepts every entry and records its notifications. */
const aTaker = (request: Taker['request']) => {
  const entries: Job[] = []
  const told: number[] = []
  const taker: Taker = {
    request,
    take: (handed, nextDueAt) => {
      entries.push(...handed)
      if (nextDueAt !== null) told.push(nextDueAt)
    },
  }
  return { taker, entries, told }
}

const does = (
  orderRef: string,
  lane: string,
  own: Partial<Pick<DoEffect, 'work' | 'dueAt' | 'excludes'>> = {},
): DoEffect => ({
  type: 'do',
  key: effectKey(orderRef, 1, lane),
  lane,
  work: { kind: 'void', payment: lane },
  dueAt: NOON,
  expiresAt: null,
  excludes: null,
  ...own,
})

export const handOverContract = (opened: () => OpenedShop, handsOver: boolean) => {
  /** Places an order with only these effects. */
  const placeWith = async (shop: StoreShop, effectsOf: (orderRef: string) => readonly Effect[]): Promise<string> => {
    const made = shop.preparePlacing()
    const { orderRef } = made.order.placed
    await unwrap(shop.store.place({ ...made, effects: effectsOf(orderRef) }, '{}'))
    return orderRef
  }

  let changed = 0

  /** A step with only these effects. */
  const doing =
    (shop: StoreShop, effects: readonly Effect[]): Decide<InternalError, null> =>
    (order) => {
      const event: OrderEvent = { type: 'references.given', first: `N-${++changed}`, second: null }
      const moment = { at: shop.now(), random: shop.host.ids.random(), referenceIsTaken: false }
      return E.map((made: Step) => ({ step: { ...made, effects }, answer: null }))(step(terms)(order, event, moment))
    }

  const stepWith = (shop: StoreShop, orderRef: string, effects: readonly Effect[]): Promise<null> =>
    unwrap(shop.store.step(orderRef, doing(shop, effects)))

  describe('hand over', () => {
    let shop: StoreShop
    let request: () => Pick<ClaimRequest, 'at' | 'lease'> | null
    let taken: ReturnType<typeof aTaker>
    beforeEach(() => {
      shop = opened().shop
      request = () => ({ at: shop.now(), lease: MINUTE })
      taken = aTaker(() => request())
      opened().store.handOver(taken.taker)
    })

    /** The lanes of all entries handed over, and of those that a claim finds in addition. */
    const begun = async (): Promise<readonly string[]> => lanesOf([...taken.entries, ...(await shop.claim())])

    it('gives all that is due, once: handed over, or left to a claim', async () => {
      const refs = await Promise.all(Array.from({ length: 9 }, () => shop.place()))
      let asked = 0
      request = () => (++asked % 3 === 0 ? null : { at: shop.now(), lease: MINUTE })
      await Promise.all(refs.map((orderRef) => shop.submit(orderRef)))
      const entries = [...taken.entries.splice(0), ...(await shop.claim({ deliveries: 0 }))]
      expect(lanesOf(entries)).toEqual(Array(9).fill('sms'))
      await Promise.all(refs.map((orderRef) => shop.submit(orderRef, { validation_code: CODE })))
      entries.push(...taken.entries, ...(await shop.claim()))
      expect(lanesOf(entries).filter((lane) => lane === 'screening')).toHaveLength(9)
      expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length)
      expect(new Set(entries.map(({ token }) => token)).size).toBe(entries.length)
      // An SMS is withdrawn once its code has been used.
      for (const entry of entries)
        expect(await shop.completeClaim(entry, null)).toBe(entry.lane === 'sms' ? 'stopped' : 'delivered')
    })

    it('tells of what it leaves to a claim, before whoever made it is answered', async () => {
      const orderRef = await shop.place()
      request = () => null
      taken.told.length = 0
      await shop.submit(orderRef)
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON)
      expect(taken.entries).toEqual([])
    })

    it('tells when the first of what is due later is, at the latest', async () => {
      await placeWith(shop, (orderRef) => [
        does(orderRef, 'a', { dueAt: NOON + HOUR }),
        does(orderRef, 'b', { dueAt: NOON + MINUTE }),
      ])
      expect(taken.entries).toEqual([])
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON + MINUTE)
    })

    it('hands over no delivery: its merchant’s turn is a claim’s to find', async () => {
      await shop.submit(await shop.place())
      expect(lanesOf(taken.entries)).not.toContain('action')
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON)
      expect(lanesOf(await shop.claim())).toContain('action')
    })

    it('hands over nothing before it is due', async () => {
      request = () => ({ at: NOON - 1, lease: MINUTE })
      await shop.submit(await shop.place())
      expect(taken.entries).toEqual([])
      expect(await begun()).toEqual(['action', 'sms'])
    })

    it('hands over nothing of a step that is refused or throws, and all of the others of its turn', async () => {
      const [first, second, third] = [await shop.place(), await shop.place(), await shop.place()]
      const throwing = (orderRef: string) =>
        opened().store.step(orderRef, () => {
          throw new Error('a fault of ours')
        })()
      const refusing = (orderRef: string) => opened().store.step(orderRef, () => E.left({ _tag: 'Refused' }))()
      await Promise.all([
        shop.submit(first),
        throwing(third),
        refusing(third),
        shop.submit(second),
        throwing(second),
        throwing(third),
      ])
      expect(await begun()).toEqual(['action', 'action', 'sms', 'sms'])
      expect(new Set(taken.entries.map(({ key }) => key)).size).toBe(taken.entries.length)
      for (const entry of taken.entries) expect(await shop.completeClaim(entry, null)).toBe('delivered')
    })

    it('hands over nothing while its lane has something unfinished', async () => {
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'a')])
      const [first = await shop.claimOne(orderRef, 'a')] = taken.entries.splice(0)
      await stepWith(shop, orderRef, [{ ...does(orderRef, 'a'), key: effectKey(orderRef, 2, 'a') }])
      expect(await begun()).toEqual([])
      taken.told.length = 0
      await shop.completeClaim(first, null)
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON)
      expect(await begun()).toEqual(['a'])
    })

    it('hands over nothing behind a lane that is in flight, and tells once it may go on', async () => {
      await placeWith(shop, (orderRef) => [does(orderRef, 'a'), does(orderRef, 'b', { excludes: 'a' })])
      const entries = [...taken.entries, ...(await shop.claim())]
      const [first] = entries
      expect(entries).toHaveLength(1)
      if (first === undefined) return
      taken.told.length = 0
      await shop.completeClaim(first, null)
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON)
      expect(lanesOf([first, ...(await shop.claim())])).toEqual(['a', 'b'])
    })

    it('hands over nothing that something due stands behind', async () => {
      request = () => null
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'b', { excludes: 'a' })])
      request = () => ({ at: shop.now(), lease: MINUTE })
      await stepWith(shop, orderRef, [does(orderRef, 'a')])
      expect(lanesOf([...taken.entries, ...(await shop.claim())])).toEqual(['b'])
    })

    it('neither hands over nor leaves to a claim what the same step withdraws, and lets its lane go on', async () => {
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'a'), { type: 'revoke', lane: 'a' }])
      expect(await begun()).toEqual([])
      await stepWith(shop, orderRef, [{ ...does(orderRef, 'a'), key: effectKey(orderRef, 2, 'a') }])
      expect(await begun()).toEqual(['a'])
    })

    it('hands over a first attempt, which stays the first where it is given back before it was begun', async () => {
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'a')])
      const [first = await shop.claimOne(orderRef, 'a')] = taken.entries
      expect(first.attempt).toBe(1)
      await unwrap(shop.store.release([first], 'not_started'))
      expect(await shop.claim()).toEqual([{ ...first, token: expect.any(String) }])
    })

    it('lets what was handed over finish where a later step withdraws it', async () => {
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'a')])
      const [first = await shop.claimOne(orderRef, 'a')] = taken.entries
      await stepWith(shop, orderRef, [{ type: 'revoke', lane: 'a' }])
      expect(await shop.completeClaim(first, null, { type: 'retry', dueAt: NOON })).toBe('stopped')
      expect(await shop.claim()).toEqual([])
      expect(await unwrap(shop.store.nextDueAt())).toBe(null)
    })

    it('gives what a settled answer leads to, once', async () => {
      const orderRef = await placeWith(shop, (ref) => [does(ref, 'a')])
      const [first = await shop.claimOne(orderRef, 'a')] = taken.entries
      taken.entries.length = 0
      const made = [does(orderRef, 'b'), { ...does(orderRef, 'a'), key: effectKey(orderRef, 2, 'a') }]
      expect(await unwrap(shop.store.complete(first, finishedAs(), doing(shop, made), null))).toBe('delivered')
      expect(await begun()).toEqual(['a', 'b'])
    })

    it('tells what may go on once a merchant has one less in flight', async () => {
      await shop.submit(await shop.place(aMerchant()))
      await shop.submit(await shop.place(aMerchant()))
      const [first] = await shop.claim({ work: 0, perMerchant: 1 })
      if (first === undefined) throw new Error('Nothing is due.')
      expect(await shop.claim({ work: 0, perMerchant: 1 })).toEqual([])
      taken.told.length = 0
      await shop.completeClaim(first, null)
      expect(Math.min(...taken.told)).toBeLessThanOrEqual(NOON)
      expect(await shop.claim({ work: 0, perMerchant: 1 })).toHaveLength(1)
    })

    it('tells of what is tried again, given back, released, or sent again', async () => {
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      await unwrap(shop.store.release(taken.entries.splice(0), 'started'))
      const tells = async (dueAt: number, doing: () => Promise<unknown>): Promise<void> => {
        taken.told.length = 0
        await doing()
        expect(Math.min(...taken.told)).toBeLessThanOrEqual(dueAt)
      }
      const sms = await shop.claimOne(orderRef, 'sms')
      await tells(NOON + MINUTE, () => shop.completeClaim(sms, null, { type: 'retry', dueAt: NOON + MINUTE }))
      const again = await shop.claimOne(orderRef, 'sms', { at: NOON + MINUTE })
      await tells(NOON + MINUTE, () => unwrap(shop.store.release([again], 'started')))
      const once = await shop.claimOne(orderRef, 'sms', { at: NOON + MINUTE })
      await unwrap(shop.store.complete(once, finishedAs(), () => E.left({ message: 'no step' }), null))
      await tells(NOON + HOUR, () => unwrap(shop.store.retryStuckJob(once.key, NOON + HOUR)))
      const action = await shop.claimOne(orderRef, 'action')
      await shop.completeClaim(action, null, finishedAs('exhausted'))
      await tells(NOON, () => unwrap(shop.store.deliveries.resend('demo', action.key, NOON)))
      const since = { merchantRef: 'demo', since: NOON, at: NOON, after: 0, limit: 9 }
      await tells(NOON, () => unwrap(shop.store.deliveries.recover(since)))
    })

    it('hands over nothing more once it has ended', async () => {
      opened().store.handOver(null)
      await shop.submit(await shop.place())
      expect(taken.entries).toEqual([])
      expect(lanesOf(await shop.claim())).toEqual(['action', 'sms'])
    })

    if (!handsOver) return

    it('makes of an entry what a claim would', async () => {
      request = () => ({ at: NOON + 3, lease: MINUTE })
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      expect(taken.entries).toEqual([
        {
          key: `${orderRef}:2:sms`,
          orderRef,
          merchantRef: 'demo',
          lane: 'sms',
          work: { kind: 'sms', to: '600123456', text: `Your code is ${CODE}.`, code: CODE },
          expiresAt: NOON + 5 * MINUTE,
          attempt: 1,
          isResend: false,
          firstAt: NOON + 3,
          startedAt: NOON + 3,
          token: expect.any(String),
        },
      ])
      expect(await shop.claim({ deliveries: 0 })).toEqual([])
      expect(lanesOf(taken.entries)).toEqual(['sms'])
    })

    it('says how many it has handed over in commits that are not made yet', async () => {
      const refs = [await shop.place(), await shop.place(), await shop.place()]
      const asked: number[] = []
      opened().store.handOver({
        ...taken.taker,
        request: (underway) => {
          asked.push(underway)
          return underway < 2 ? { at: shop.now(), lease: MINUTE } : null
        },
      })
      for (const orderRef of refs) await shop.submit(orderRef)
      expect(asked).toEqual([0, 0, 0])
      await placeWith(shop, (ref) => ['a', 'b', 'c'].map((lane) => does(ref, lane)))
      expect(asked.slice(3)).toEqual([0, 1, 2])
      expect(lanesOf(taken.entries)).toEqual(['a', 'b', 'sms', 'sms', 'sms'])
      expect(lanesOf(await shop.claim({ deliveries: 0 }))).toEqual(['c'])
    })

    it('passes it on when its lease ends, and takes it back when it is given back', async ({ skip }) => {
      const { advanceRealTime } = opened()
      if (advanceRealTime === undefined) return skip('the store reads real time by itself')
      const orderRef = await shop.place()
      await shop.submit(orderRef)
      const [first] = taken.entries
      if (first === undefined) throw new Error('Nothing was handed over.')
      advanceRealTime(MINUTE - 1)
      expect(await shop.claim({ deliveries: 0 })).toEqual([])
      advanceRealTime(1)
      const [second] = await shop.claim({ deliveries: 0, at: NOON + MINUTE })
      if (second === undefined) throw new Error('It was not passed on.')
      expect(second).toEqual({ ...first, attempt: 2, startedAt: NOON + MINUTE, token: expect.any(String) })
      expect(await shop.completeClaim(first, null)).toBe('lost')
      await unwrap(shop.store.release([second], 'started'))
      const third = await shop.claimOne(orderRef, 'sms')
      expect(third.attempt).toBe(3)
      expect(await shop.completeClaim(third, null)).toBe('delivered')
    })

    it('leaves no claim to be made for it, and tells of none', async () => {
      await placeWith(shop, (ref) => [does(ref, 'a'), does(ref, 'later', { dueAt: NOON + HOUR })])
      expect(lanesOf(taken.entries)).toEqual(['a'])
      expect(Math.min(...taken.told)).toBe(NOON + HOUR)
    })
  })
}
