// Nodes that share a database race for a few orders: they step, claim, complete, release, resend
// and retry, in an order drawn from the seed. Triggers keep locks a little longer, so that the
// nodes meet.
import type { JournalLine, Order, OrderEvent, Step } from '@plazo/core'
import { type AttemptResult, type FullStore, heldReference, type Job } from '@plazo/core/ports'
import { recordingStore, traceRecorder } from '@plazo/core/testing'
import {
  aMerchant,
  anotherPerson,
  aPerson,
  CODE,
  finishedAs,
  HOUR,
  MINUTE,
  openShop,
  SECOND,
  type StoreShop,
  terms,
} from '@plazo/core/testing/contracts'
import * as E from 'fp-ts/lib/Either.js'
import { queryPostgres } from '../../harness/postgres.ts'
import { repliesTo, stepOrder } from '../../harness/replies.ts'
import { type SeededRandom, seededRandom } from '../../harness/seeded-random.ts'
import { type LaneFault, openLaneChecker } from './lanes.ts'

type RaceOptions = {
  readonly url: string
  readonly stores: readonly FullStore[]
  readonly seed: number
  /** How many workers act on each node at the same time, and how often each acts. */
  readonly hands: number
  readonly turns: number
}

type RaceReport = {
  readonly faults: readonly string[]
  readonly did: Readonly<Record<string, number>>
  readonly steps: number
  readonly effects: number
  readonly looks: number
}

const ORDERS = 12
const PER_MERCHANT = 2
// Per store, in commits that are not made yet.
const LEASE = HOUR
const MERCHANTS = ['a', 'b'] as const
const REFERENCES = ['A-1', 'A-2'] as const
const DAY = 24 * HOUR

// A transaction that has locked a row keeps the lock a little longer.
const SLOW_LOCKS = `
  create function plazo.dawdle() returns trigger language plpgsql as
    $$ begin perform pg_sleep(random() * 0.004); return null; end $$;
  create trigger dawdle after update on plazo.orders for each statement execute function plazo.dawdle();
  create trigger dawdle after update on plazo.claim_turn for each statement execute function plazo.dawdle();
  create trigger dawdle after insert on plazo.held_references for each statement execute function plazo.dawdle()`

const FAST_LOCKS = 'drop function if exists plazo.dawdle() cascade'

const CLAIMED_OR_DUE = `select order_ref, revision, lane, state from plazo.outbox where state in ('queued', 'pending', 'claimed', 'stuck')`
const HELD = 'select order_ref::text, reference from plazo.held_references'

const EVENTS: readonly [OrderEvent, ...OrderEvent[]] = [
  { type: 'merchant.confirmed' },
  { type: 'merchant.held' },
  { type: 'references.given', first: 'A-1', second: null },
  { type: 'references.given', first: 'A-2', second: 'X' },
  { type: 'cancellation.requested' },
  { type: 'order.cancelled', by: 'operator' },
  { type: 'review.approved' },
  { type: 'order.updated' },
]

/** Compares the steps, in order, with the stored order and the claims. */
const stepFaults = (
  order: Order,
  journal: readonly JournalLine[],
  steps: readonly Step[],
  began: ReadonlySet<string>,
): readonly string[] => {
  const { orderRef } = order.placed
  const inOrder = steps.toSorted((a, b) => a.order.revision - b.order.revision)
  const lines = inOrder.flatMap((result) => result.journal)
  const text = (line: JournalLine): string => JSON.stringify([line.seq, line.event, line.to])
  const waiting = new Map<string, Set<string>>()
  for (const { effects } of inOrder)
    for (const effect of effects) {
      if (effect.type === 'do')
        waiting.set(effect.lane, (waiting.get(effect.lane) ?? new Set()).add(effect.key))
      // A revoked job may or may not have started.
      if (effect.type === 'revoke') waiting.delete(effect.lane)
    }
  return [
    ...journal.flatMap(({ seq }, n) =>
      seq === n + 1 ? [] : [`${orderRef}: line ${n + 1} has seq ${seq}.`],
    ),
    ...(journal.length === order.revision
      ? []
      : [`${orderRef} is at ${order.revision}, its journal at ${journal.length}.`]),
    ...(JSON.stringify(lines.map(text)) === JSON.stringify(journal.map(text))
      ? []
      : [`${orderRef}: its journal is not what was stepped and answered.`]),
    ...[...waiting.values()].flatMap((keys) =>
      [...keys].filter((key) => !began.has(key)).map((key) => `${key} was never begun.`),
    ),
  ]
}

export const storeRace = async ({
  url,
  stores,
  seed,
  hands,
  turns,
}: RaceOptions): Promise<RaceReport> => {
  const faults = new Set<string>()
  const did: Record<string, number> = {}
  const recorder = traceRecorder()
  const began = new Set<string>()
  /** Lanes that had a stuck job. A retried job runs after those that overtook it. */
  const stuckLanes = new Set<string>()
  const inFlight = new Map<string, Job>()
  const placed: string[] = []
  const shops = stores.map((store) =>
    openShop(recordingStore({ terms, clock: { now: () => 0 }, recorder }, store)),
  )
  const [head] = shops
  if (head === undefined) throw new Error('There are no nodes.')
  const first: StoreShop = head
  const count = (what: string): void => {
    did[what] = (did[what] ?? 0) + 1
  }
  const laneOf = (orderRef: string | null, lane: string): string => `${orderRef} ${lane}`

  const begin = (entries: readonly Job[]): void => {
    for (const entry of entries) {
      const same = [...inFlight.values()].find(
        ({ key, isResend }) => key === entry.key && isResend === entry.isResend,
      )
      if (same !== undefined) faults.add(`${entry.key} is in flight twice.`)
      began.add(entry.key)
      inFlight.set(entry.token, entry)
    }
  }

  const take = ({ below }: SeededRandom): Job | undefined => {
    const entry = [...inFlight.values()][below(Math.max(1, inFlight.size))]
    if (entry !== undefined) inFlight.delete(entry.token)
    return entry
  }

  const claim = async (shop: StoreShop, room = { internal: 100, deliveries: 100 }): Promise<void> =>
    begin(await shop.claim({ ...room, perMerchant: PER_MERCHANT, lease: LEASE }))

  const settle = async (
    shop: StoreShop,
    entry: Job,
    event: OrderEvent | null,
    how: AttemptResult,
  ): Promise<void> => {
    const settled = await shop.completeClaim(entry, event, how)
    if (settled === 'lost') faults.add(`${entry.key} was taken away, though its lease goes on.`)
    if (settled === 'stuck') stuckLanes.add(laneOf(entry.orderRef, entry.lane))
  }

  const acts = (
    shop: StoreShop,
    drawn: SeededRandom,
  ): readonly [string, number, () => Promise<unknown>][] => {
    const orderRef = (): string => placed[drawn.below(placed.length)] ?? ''
    const completeOne = async (): Promise<void> => {
      const entry = take(drawn)
      if (entry === undefined) return
      if (drawn.below(12) === 0) {
        stuckLanes.add(laneOf(entry.orderRef, entry.lane))
        const received = await shop.host.store.complete(entry, {
          result: finishedAs(),
          decide: () => E.left({ message: 'a fault' }),
        })()
        if (E.isLeft(received) || received.right !== 'stuck')
          faults.add(`${entry.key} was not parked: ${JSON.stringify(received)}`)
        return
      }
      const answers = repliesTo(entry)
      if (drawn.below(5) === 0)
        return settle(shop, entry, null, {
          type: 'retry',
          dueAt: shop.now() + drawn.below(2) * SECOND,
        })
      await settle(
        shop,
        entry,
        answers[drawn.below(6)] ?? answers[0] ?? null,
        finishedAs(drawn.below(6) === 0 ? 'exhausted' : 'delivered'),
      )
    }
    const sendAgain = async (): Promise<void> => {
      const merchantRef = drawn.pick(MERCHANTS)
      const list = await shop.store.deliveries.list({
        merchantRef,
        orderRef: null,
        state: null,
        before: null,
        limit: 50,
      })()
      const delivery = E.isRight(list)
        ? list.right[drawn.below(Math.max(1, list.right.length))]
        : undefined
      if (delivery !== undefined)
        await shop.store.deliveries.resend(merchantRef, delivery.id, shop.now())()
    }
    const retryStuck = async (): Promise<void> => {
      const stuck = await shop.store.stuckJobs()()
      const entry = E.isRight(stuck)
        ? stuck.right[drawn.below(Math.max(1, stuck.right.length))]
        : undefined
      if (entry !== undefined) await shop.store.retryStuckJob(entry.key, shop.now())()
    }
    return [
      ['submit', 6, () => shop.submit(orderRef(), drawn.below(4) === 0 ? anotherPerson : aPerson)],
      ['submit the code', 8, () => shop.submit(orderRef(), { ...aPerson, validation_code: CODE })],
      ['tell', 5, () => stepOrder(shop, orderRef(), drawn.pick(EVENTS))],
      ['claim', 8, () => claim(shop, { internal: drawn.below(6), deliveries: drawn.below(6) })],
      ['settle', 16, completeOne],
      [
        'release',
        2,
        async () => {
          const entry = take(drawn)
          if (entry !== undefined)
            await shop.store.release([entry], drawn.pick(['started', 'not_started']))()
        },
      ],
      ['send again', 2, sendAgain],
      ['retryStuckJob', 1, retryStuck],
      [
        'wait',
        2,
        async () => {
          const millis = drawn.pick([SECOND, 31 * SECOND, MINUTE])
          for (const each of shops) each.advance(millis)
        },
      ],
    ]
  }

  const hand = async (shop: StoreShop, drawn: SeededRandom): Promise<void> => {
    const all = acts(shop, drawn).flatMap(([name, weight, act]) =>
      Array<[string, typeof act]>(weight).fill([name, act]),
    )
    for (let turn = 0; turn < turns; turn++) {
      const [name, act] = all[drawn.below(all.length)] ?? ['', async () => {}]
      count(name)
      await act()
    }
  }

  let looks = 0
  const watch = await openLaneChecker(url, PER_MERCHANT)
  const look = async (): Promise<void> => {
    looks += 1
    const isStuckLane = ({ order_ref, lane }: LaneFault): boolean =>
      stuckLanes.has(laneOf(order_ref, lane))
    for (const fault of await watch.check())
      if (fault.fault !== 'a later one leads its lane' || !isStuckLane(fault))
        faults.add(`${fault.order_ref ?? ''} ${fault.lane}: ${fault.fault}.`)
  }

  /** All nodes run the remaining jobs until there are none. */
  const finish = async (): Promise<void> => {
    const drawn = seededRandom(seed, 'the end')
    for (let calm = 0; calm < 3; ) {
      const stuck = await first.store.stuckJobs()()
      if (E.isRight(stuck))
        for (const { key } of stuck.right) await first.store.retryStuckJob(key, first.now())()
      await Promise.all(shops.map((shop) => claim(shop)))
      calm = inFlight.size === 0 ? calm + 1 : 0
      while (inFlight.size > 0)
        await Promise.all(
          shops.map(async (shop) => {
            const entry = take(drawn)
            if (entry !== undefined)
              await settle(shop, entry, repliesTo(entry)[0] ?? null, finishedAs())
          }),
        )
      await look()
      for (const orderRef of placed)
        if ((await first.read(orderRef)).state.checkout === 'reviewing')
          await stepOrder(first, orderRef, { type: 'review.approved' })
      if (calm > 0) for (const shop of shops) shop.advance(8 * DAY)
    }
  }

  for (let n = 0; n < ORDERS; n++)
    placed.push(await first.place(aMerchant(MERCHANTS[n % 2]), [...REFERENCES, ''][n % 3] ?? ''))
  await queryPostgres(url, SLOW_LOCKS)
  try {
    let isOn = true
    const looking = (async () => {
      while (isOn) await look()
    })()
    try {
      await Promise.all(
        shops.flatMap((shop, node) =>
          Array.from({ length: hands }, (_, n) =>
            hand(shop, seededRandom(seed, `node ${node}, hand ${n}`)),
          ),
        ),
      )
    } finally {
      isOn = false
      await looking
    }
    await finish()
  } finally {
    await queryPostgres(url, FAST_LOCKS)
    await watch.close()
  }

  for (const row of await queryPostgres(url, CLAIMED_OR_DUE))
    faults.add(`${row.order_ref}:${row.revision}:${row.lane} is left, ${row.state}.`)
  const references = new Map(
    (await queryPostgres(url, HELD)).map(({ order_ref, reference }) => [
      String(order_ref),
      String(reference),
    ]),
  )
  const stepsOf = (orderRef: string): readonly Step[] =>
    recorder.entriesOf(orderRef).flatMap((entry) => (entry.part === 'step' ? [entry.step] : []))
  const steps = placed.flatMap(stepsOf)
  const createdItems = new Set(
    steps.flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.type === 'do' ? effect.key : [])),
    ),
  )
  for (const key of began)
    if (!createdItems.has(key)) faults.add(`${key} was begun, and no step had made it.`)
  for (const orderRef of placed) {
    const order = await first.read(orderRef)
    for (const fault of stepFaults(order, await first.journal(orderRef), stepsOf(orderRef), began))
      faults.add(fault)
    const holds = heldReference(order)
    if ((holds === null ? undefined : JSON.stringify(holds)) !== references.get(orderRef))
      faults.add(`${orderRef} holds ${holds}, and ${references.get(orderRef)} is kept for it.`)
  }
  return { faults: [...faults], did, steps: steps.length, effects: createdItems.size, looks }
}
