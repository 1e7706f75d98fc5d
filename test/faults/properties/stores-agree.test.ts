// All stores are one store over different bases. Given the same commands they must answer alike: SQLite
// and each kind of rows as rows in memory, and PostgreSQL as SQLite, with lists and resends.
import { DatabaseSync } from 'node:sqlite'
import {
  type Rows,
  type RowsCipher,
  rowsCipher,
  sqliteRows,
  storeOver,
} from '@plazo/adapters/internal/rows'
import { memoryStore } from '@plazo/adapters/memory'
import { openSqlite } from '@plazo/adapters/sqlite'
import type {
  AttemptResult,
  Capabilities,
  FullStore,
  InternalError,
  Job,
  Order,
  OrderEvent,
  QueueStats,
  ReleasedAs,
  Report,
  Store,
} from '@plazo/core/internal'
import { possibleAnswers, step } from '@plazo/core/internal'
import {
  aMerchant,
  anotherPerson,
  aPerson,
  CODE,
  finishedAs,
  HOUR,
  listedDeliveries,
  MINUTE,
  openShop,
  SECOND,
  type StoreShop,
  terms,
} from '@plazo/core/internal/testing'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { createJsonRows, MASTER_KEY } from '../../end-to-end/contract/fragile-rows.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

type StoreRun = {
  readonly shop: StoreShop
  readonly placed: string[]
  readonly claimed: Job[]
}

const MERCHANTS = ['a', 'b', 'c'] as const

/** The merchants `b` and `c` are one account. */
const anyMerchant = (ref: string) => aMerchant(ref, { username: ref === 'a' ? 'a' : 'b' })

const aReport = (error: string | null, durationMillis = 12): Report => ({
  durationMillis,
  status: error === null ? 200 : 500,
  error,
  response: null,
})

const order = fc.nat(5)
const millis = fc.constantFrom(1, SECOND, 31 * SECOND, MINUTE, HOUR, 24 * HOUR)

/** `order`, `entry` and `delivery` index what there is, modulo its number. */
const command = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('place' as const),
      merchant: fc.constantFrom(...MERCHANTS),
      reference: fc.constantFrom('', 'A-1', 'A-2'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      order,
      person: fc.constantFrom(aPerson, aPerson, aPerson, anotherPerson),
      code: fc.constantFrom(CODE, CODE, CODE, null),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('lead' as const), order }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('step' as const),
      order,
      event: fc.constantFrom<OrderEvent>(
        { type: 'merchant.confirmed' },
        { type: 'references.given', first: 'A-1', second: null },
        { type: 'references.given', first: 'A-2', second: 'X' },
        { type: 'cancellation.requested' },
        { type: 'order.cancelled', by: 'operator' },
        { type: 'review.approved' },
        { type: 'order.updated' },
      ),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      internal: fc.constantFrom(0, 1, 2, 50),
      deliveries: fc.constantFrom(0, 1, 2, 3, 5, 50),
      notGood: fc.constantFrom(0, 1, 50),
      cap: fc.constantFrom(null, 1, 2, 4, 9),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      entry: fc.nat(20),
      answer: fc.nat(2),
      how: fc.oneof(
        { weight: 8, arbitrary: fc.constant(finishedAs()) },
        fc.constantFrom<AttemptResult | 'later' | 'fault'>(
          'later',
          'fault',
          finishedAs('exhausted'),
        ),
      ),
      report: fc.constantFrom(
        null,
        aReport(null),
        aReport(null, 3_001),
        aReport('unaccepted_status'),
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('release' as const),
      entry: fc.nat(20),
      as: fc.constantFrom<ReleasedAs>('started', 'not_started'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resend' as const),
      delivery: fc.nat(20),
      merchant: fc.constantFrom(...MERCHANTS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), millis }) },
)

type Command = typeof command extends fc.Arbitrary<infer C> ? C : never

const pickCyclic = <A>(list: readonly A[], index: number): A | undefined =>
  list[index % Math.max(1, list.length)]

const withoutToken = ({ token: _, ...entry }: Job) => entry

/**
 * Makes a step with this event, whether the order accepts it or not. Resolves to the store's own
 * answer.
 */
const stepOrder = ({ store, host, now }: StoreShop, orderRef: string, event: OrderEvent) =>
  store.step<InternalError, Order>(orderRef, (order, referenceIsTaken) => {
    const result = step(terms)(order, event, {
      at: now(),
      random: host.ids.random(),
      referenceIsTaken,
    })
    return E.isLeft(result) ? result : E.right({ step: result.right, answer: result.right.order })
  })()

const runCommand = async (run: StoreRun, input: Command): Promise<unknown> => {
  const { shop, placed } = run
  switch (input.do) {
    case 'place': {
      const placement = shop.preparePlacing(anyMerchant(input.merchant), input.reference)
      const answer = await shop.store.place(placement, '{}')()
      if (E.isRight(answer)) placed.push(placement.order.placed.orderRef)
      return answer
    }
    case 'submit': {
      const orderRef = pickCyclic(placed, input.order)
      const code = input.code === null ? {} : { validation_code: input.code }
      return orderRef === undefined
        ? 'nothing placed'
        : shop.submit(orderRef, { ...input.person, ...code })
    }
    case 'lead': {
      const orderRef = pickCyclic(placed, input.order)
      return orderRef === undefined ? 'nothing placed' : shop.leadToConfirmation(orderRef)
    }
    case 'step':
      return stepOrder(shop, pickCyclic(placed, input.order) ?? 'nobody', input.event)
    case 'claim': {
      const { cap, do: _, ...request } = input
      const entries = await shop.claim({ ...request, perAccount: cap })
      run.claimed.push(...entries)
      return entries.map(withoutToken)
    }
    case 'settle': {
      const entry = pickCyclic(run.claimed, input.entry)
      if (entry === undefined) return 'nothing claimed'
      if (input.how === 'fault')
        return shop.store.complete(entry, {
          result: finishedAs(),
          decide: () => E.left({ message: 'a fault' }),
        })()
      const answers = [...possibleAnswers(entry), null]
      const how: AttemptResult =
        input.how === 'later' ? { type: 'retry', dueAt: shop.now() + 10 * SECOND } : input.how
      return shop.completeClaim(
        entry,
        input.how === 'later' ? null : (pickCyclic(answers, input.answer) ?? null),
        how,
        entry.payload.kind === 'event' || entry.payload.kind === 'ipn' ? input.report : null,
      )
    }
    case 'release': {
      const entry = pickCyclic(run.claimed, input.entry)
      return entry === undefined ? 'nothing claimed' : shop.store.release([entry], input.as)()
    }
    case 'resend': {
      const delivery = pickCyclic(await deliveriesOf(shop, input.merchant), input.delivery)
      return shop.store.deliveries.resend(
        input.merchant,
        delivery?.id ?? 'nobody:1:ipn',
        shop.now(),
      )()
    }
    case 'wait':
      return shop.advance(input.millis)
  }
}

const deliveriesOf = ({ store }: StoreShop, merchantRef: string) =>
  listedDeliveries(store, { merchantRef })

/** What every store has. */
const readOrders = async ({ shop, placed }: StoreRun): Promise<unknown> => ({
  orders: await Promise.all(
    placed.map(async (ref) => [await shop.read(ref), await shop.journal(ref)]),
  ),
  stuck: await shop.store.stuckJobs()(),
  due: await shop.store.nextDueAt()(),
  holders: await Promise.all(
    MERCHANTS.flatMap((merchant) =>
      ['A-1', 'A-2'].map((ref) => shop.store.findByReference(merchant, ref)()),
    ),
  ),
})

const readLists = async ({ shop }: StoreRun): Promise<unknown> => ({
  deliveries: await Promise.all(MERCHANTS.map((ref) => deliveriesOf(shop, ref))),
  slow: E.map(({ slowMerchants }: QueueStats) => slowMerchants.toSorted())(
    await shop.store.queueStats()(),
  ),
})

type OpenedStore = {
  readonly store: Store & Partial<Capabilities>
  readonly close: () => Promise<void>
}
type Open = () => Promise<OpenedStore>

// A command that needs more than a store has is not run on it.
const startRun = ({ store }: OpenedStore): StoreRun => ({
  shop: openShop(store as FullStore),
  placed: [],
  claimed: [],
})

// `pnpm laws` runs more.
const RUNS = Number(process.env.RUNS ?? 300)

const expectAgreement = (
  open: readonly [Open, Open],
  commands: fc.Arbitrary<Command>,
  readsOf: readonly ((run: StoreRun) => Promise<unknown>)[],
  numRuns: number,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(
      fc.array(commands, { minLength: 20, maxLength: 120, size: 'max' }),
      async (inputs) => {
        const opened = [await open[0](), await open[1]()] as const
        const [model, real] = [startRun(opened[0]), startRun(opened[1])]
        for (const each of inputs)
          expect(await runCommand(real, each)).toEqual(await runCommand(model, each))
        for (const read of readsOf) expect(await read(real)).toEqual(await read(model))
        for (const { close } of opened) await close()
      },
    ),
    { numRuns, seed: 20260105 },
  )

const inMemory: Open = async () => ({ store: memoryStore(), close: async () => {} })
const inSqlite: Open = async () => openSqlite(':memory:')

const overRows = (rows: Rows, cipher?: RowsCipher): OpenedStore => ({
  ...storeOver(rows, cipher),
  close: async () => {},
})

// Every other kind of rows that a host may have.
const rowsOfHosts: Readonly<Record<string, Open>> = {
  'the rows of node:sqlite': async () => overRows(sqliteRows(new DatabaseSync(':memory:'))),
  'the rows of better-sqlite3': async () => overRows(sqliteRows(new Sqlite(':memory:'))),
  'the encrypted rows of a JSON value': async () =>
    overRows(createJsonRows(), await rowsCipher(MASTER_KEY)),
}

describe('a store', () => {
  const required = command.filter((each) => each.do !== 'resend')

  it('gives the same answers over rows in memory and in SQLite for any commands', () =>
    expectAgreement([inMemory, inSqlite], required, [readOrders], Math.ceil(RUNS / 8)))

  it.each(Object.entries(rowsOfHosts))(
    'gives the same answers over rows in memory and %s for any commands',
    (_, open) => expectAgreement([inMemory, open], required, [readOrders], Math.ceil(RUNS / 40)),
  )

  it('gives the same answers in SQLite and in PostgreSQL for any commands', () =>
    expectAgreement(
      [inSqlite, openPostgresTestStorage],
      command,
      [readOrders, readLists],
      Math.ceil(RUNS / 40),
    ))
})
