// Copies random orders at every event. The copy must be what the order was at that event, under its
// own names.
import { memoryStore } from '@plazo/adapters/memory'
import type { JournalLine, Order, Step } from '@plazo/core'
import { unavailable } from '@plazo/core/ports'
import {
  type Act,
  act,
  entriesOf,
  type HarnessOptions,
  type OrderHarness,
  openHarness,
  performAct,
} from '@plazo/core/testing'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { type CopyValues, copyOrder } from '../../../packages/server/src/sandbox/copy-order.ts'
import { forkOrder } from '../../../packages/server/src/sandbox/fork-order.ts'
import { orderBody } from '../../harness/shop.ts'

const RUNS = Number(process.env.RUNS ?? 100)

const FORK = 'ffffffff-0000-4000-8000-00000000000f'

const setting: fc.Arbitrary<HarnessOptions> = fc.record({
  sendsActionEvents: fc.boolean(),
  hasIpn: fc.constantFrom(true, true, false),
  hasEvents: fc.constantFrom(true, true, false),
})

type Past = {
  readonly world: OrderHarness
  readonly journal: readonly JournalLine[]
  /** The order after each of its steps. */
  readonly orders: readonly Order[]
}

const pastOf = async (placed: HarnessOptions, acts: readonly Act[]): Promise<Past> => {
  const world = await openHarness(memoryStore({ realNow: () => 0 }), placed)
  for (const each of acts) await performAct(world, each)
  const orders = entriesOf(world.trace(), 'step').map(({ step }) => step.order)
  return { world, journal: await world.journal(), orders }
}

/**
 * The copy differs from the original as little as it can: it has the same tokens and references.
 */
const sameValues = (journal: readonly JournalLine[], now: number): CopyValues => {
  // Placing the order draws a token too, which it does not use.
  const tokens = [
    '',
    ...journal.flatMap(({ input }) => (input === null ? [] : [input.stepInput.random.token])),
  ]
  const random = () => ({ code: '', token: tokens.shift() ?? '' })
  return { orderRef: FORK, now, random, newReference: (first) => first }
}

const copyAt = (
  { world, journal, orders: [first] }: Past,
  at: number,
  later = 0,
  apply: readonly number[] = [],
): Step => {
  if (first === undefined) throw new Error('The order was not placed.')
  const { placed, context } = first
  const now = (journal[at - 1]?.at ?? 0) + later
  const original = { placed, references: context.references, journal }
  const copy = copyOrder(world.host.terms)(original, { at, apply }, sameValues(journal, now))
  if (E.isLeft(copy)) throw new Error(copy.left)
  return copy.right
}

const dueTimes = ({ effects }: Step): Readonly<Record<string, number>> =>
  Object.fromEntries(
    effects.map((effect) => (effect.type === 'do' ? [effect.key, effect.dueAt] : ['revoked', 0])),
  )

/** `of`: the original's uuid. Values that JSON cannot represent do not count. */
const renameOrder = <A>(value: A, of: string): A =>
  JSON.parse(JSON.stringify(value).replaceAll(of, FORK)) as A

const forEachPrefix = (check: (past: Past, at: number) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      setting,
      fc.array(act, { maxLength: 30, size: 'max' }),
      async (placed, acts) => {
        const past = await pastOf(placed, acts)
        for (const { seq } of past.journal) check(past, seq)
      },
    ),
    { numRuns: RUNS },
  )

describe('an order copied at any of its events', () => {
  it('is exactly what the order was then, with the same journal', () =>
    forEachPrefix((past, at) => {
      const { placed } = past.orders[0] as Order
      // Lines that only inform belong to the step before them.
      const then = past.orders.find(({ revision }) => revision >= at) as Order
      const copy = copyAt(past, at)
      const { revision, ...order } = renameOrder(copy.order, FORK)
      expect({ ...order, revision: revision - 1 }).toEqual(renameOrder(then, placed.orderRef))
      expect(renameOrder(copy.journal.slice(0, -1), FORK)).toEqual(
        renameOrder(past.journal.slice(0, then.revision), placed.orderRef),
      )
      expect(copy.journal.at(-1)).toMatchObject({
        event: 'order.forked',
        detail: `from ${placed.orderRef} at event ${at}`,
        input: null,
      })
    }))

  it('awaits the same answers, each from an effect of its own, and sends nothing else', () =>
    forEachPrefix((past, at) => {
      const { order, effects } = copyAt(past, at)
      const keys = effects.map((effect) => (effect.type === 'do' ? effect.key : effect.type))
      expect(keys.toSorted()).toEqual(Object.values(order.context.pending).toSorted())
      expect(keys.filter((key) => !key.startsWith(FORK))).toEqual([])
    }))

  it('has the same time left, however much later it is copied', () =>
    forEachPrefix((past, at) => {
      const [now, later] = [copyAt(past, at), copyAt(past, at, 604_800_000)]
      expect(later.order.state).toEqual(now.order.state)
      const shifted = Object.entries(dueTimes(now)).map(([key, dueAt]) => [
        key,
        dueAt + 604_800_000,
      ])
      expect(dueTimes(later)).toEqual(Object.fromEntries(shifted))
      expect(later.order.context.updatedAt).toBe(now.order.context.updatedAt + 604_800_000)
    }))

  it('takes any later events too, and then has one effect for each answer that it awaits', () =>
    forEachPrefix((past, at) => {
      const later = past.journal.filter(
        ({ seq, input }) => seq > at && input !== null && seq % 3 !== 0,
      )
      const { order, effects } = copyAt(
        past,
        at,
        0,
        later.map(({ seq }) => seq),
      )
      const keys = effects.flatMap((effect) => (effect.type === 'do' ? [effect.key] : []))
      expect(new Set(keys).size).toBe(effects.length)
      expect(keys).toEqual(expect.arrayContaining(Object.values(order.context.pending)))
    }))
})

describe('a fork that cannot be stored', () => {
  it('leaves nothing behind, and no link to it', async () => {
    const store = memoryStore({ realNow: () => 0 })
    const { host, order } = await openHarness(store)
    const links: string[] = []
    const note = (what: string) => (_: Order, forkRef: string) =>
      TE.fromIO(() => void links.push(`${what} ${forkRef}`))
    const failing = {
      ...host,
      store: { ...store, place: () => async () => unavailable('unknown', 'The disk is full.') },
    }
    const ids = { ...host.ids, orderRef: () => FORK }
    const payload = {
      ...failing.store.inspection,
      payload: () => TE.right(JSON.stringify(orderBody())),
    }
    const forked = await forkOrder(
      { ...failing, ids, store: { ...failing.store, inspection: payload } },
      'http://sink',
      {
        add: note('added'),
        remove: note('removed'),
      },
    )(await order(), { at: 1, apply: [], delivers: false })()
    expect(forked).toMatchObject({ left: { _tag: 'Unavailable' } })
    expect(links).toEqual([`added ${FORK}`, `removed ${FORK}`])
    expect(await store.read(FORK)()).toMatchObject({ left: { _tag: 'OrderNotFound' } })
  })
})
