// Store contract: a commit is whole, and survives the process. Tests that only call a store cannot
// see this, so the database fails here in the middle of each commit, and is opened again.
import {
  type CompletionDecide,
  confirmOrder,
  type Job,
  type Store,
  step,
  type Unavailable,
} from '@plazo/core/internal'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Expect, Runner } from './runner.ts'
import { finishedAs, HOUR, NOON, openShop, type StoreShop, unwrap } from './shop.ts'
import { approvalOf, type OpenedStore, screeningInFlight } from './store-fixtures.ts'

type OpenStore = OpenedStore['store']

/** A database that can be opened again and can be made to fail, as in `OpenedStore`. */
type BreakableDatabase = Required<Pick<OpenedStore, 'reopen' | 'failAt'>>

const WRITES_MAX = 100

/**
 * Breaks the first write of the operation, then the second, and so on, until the operation succeeds.
 * After each failure, checks the store and a newly opened one. Returns how many writes were broken.
 */
const breakEachWrite = async (
  expect: Expect,
  { store }: StoreShop<Store>,
  { failAt, reopen }: BreakableDatabase,
  run: () => TaskEither<unknown, unknown>,
  expectUnchanged: (store: OpenStore) => Promise<void>,
): Promise<number> => {
  const jobsBefore = await keysOfJobs(await reopen())
  for (let n = 1; n <= WRITES_MAX; n++) {
    await failAt(n)
    const result = await run()()
    await failAt(Number.POSITIVE_INFINITY)
    if (E.isRight(result)) return n - 1
    expect((result.left as Unavailable)._tag).toBe('Unavailable')
    await expectUnchanged(store)
    const reopened = await reopen()
    await expectUnchanged(reopened)
    expect(await keysOfJobs(reopened)).toEqual(jobsBefore)
  }
  throw new Error(`The operation fails although its first ${WRITES_MAX} writes succeed.`)
}

/** The jobs that a process starts which opens the data after a crash: a job without its step is one. */
const keysOfJobs = async (store: OpenStore): Promise<readonly string[]> =>
  (await openShop(store).claim({ at: NOON + 999 * HOUR })).map(({ key }) => key).sort()

const readAll = async (store: OpenStore, orderRef: string) => ({
  order: await unwrap(store.read(orderRef)),
  journal: await unwrap(store.journal(orderRef)),
  nextDueAt: await unwrap(store.nextDueAt()),
  stuck: await unwrap(store.stuckJobs()),
  jobs: store.inspection && (await unwrap(store.inspection.pendingJobs(orderRef))),
})

const decideApproval =
  ({ host, now }: StoreShop<Store>, job: Job): CompletionDecide =>
  (order, referenceIsTaken) => {
    const input = { at: now(), random: host.ids.random(), referenceIsTaken }
    const decided = step(host.terms)(order, approvalOf(job), input)
    if (E.isLeft(decided)) return E.left({ message: decided.left.message })
    return E.right({ step: decided.right, answer: { statusOverride: null } })
  }

const expectOrderPlacedWhole = async (
  expect: Expect,
  shop: StoreShop<Store>,
  database: BreakableDatabase,
): Promise<void> => {
  const placement = shop.preparePlacing()
  const { orderRef } = placement.order.placed
  const place = () => shop.store.place(placement, '{}')
  const broken = await breakEachWrite(expect, shop, database, place, async (store) => {
    expect(await store.read(orderRef)()).toEqual(E.left({ _tag: 'OrderNotFound' }))
    expect(await unwrap(store.nextDueAt())).toBe(null)
  })
  expect(broken).toBeGreaterThan(0)
  const reopened = await database.reopen()
  expect(await unwrap(reopened.read(orderRef))).toEqual(placement.order)
  expect(await unwrap(reopened.journal(orderRef))).toEqual(placement.journal)
}

const expectStepWhole = async (
  expect: Expect,
  shop: StoreShop<Store>,
  database: BreakableDatabase,
): Promise<void> => {
  const orderRef = await shop.placeConfirming()
  const before = await readAll(shop.store, orderRef)
  const { account } = before.order.placed.merchant
  const confirm = () =>
    confirmOrder(shop.host)({ account }, orderRef, { order: { state: 'confirmed' } })
  const broken = await breakEachWrite(expect, shop, database, confirm, async (store) => {
    expect(await readAll(store, orderRef)).toEqual(before)
  })
  expect(broken).toBeGreaterThan(0)
  const reopened = await database.reopen()
  const after = await readAll(reopened, orderRef)
  expect(after).toEqual(await readAll(shop.store, orderRef))
  expect(after.journal.length).toBeGreaterThan(before.journal.length)
}

/** Fails for a store that commits a completion and its step in two transactions. */
const expectCompletionWhole = async (
  expect: Expect,
  shop: StoreShop<Store>,
  database: BreakableDatabase,
): Promise<void> => {
  const orderRef = await shop.place()
  const job = await screeningInFlight(shop, orderRef)
  const before = await readAll(shop.store, orderRef)
  const complete = () =>
    shop.store.complete(job, { result: finishedAs(), decide: decideApproval(shop, job) })
  const broken = await breakEachWrite(expect, shop, database, complete, async (store) => {
    expect(await readAll(store, orderRef)).toEqual(before)
  })
  expect(broken).toBeGreaterThan(0)
  const reopened = await database.reopen()
  expect((await unwrap(reopened.read(orderRef))).state.checkout).toBe('screened')
  expect(await unwrap(reopened.complete(job, { result: finishedAs() }))).toBe('lost')
}

/** The promises, by title. */
const promises = {
  'places an order whole or not at all': expectOrderPlacedWhole,
  'commits a step whole or not at all': expectStepWhole,
  'commits a completion together with its step, or neither': expectCompletionWhole,
}

export const durabilityContract = (
  { describe, it, expect }: Runner,
  shop: StoreShop,
  opened: () => OpenedStore,
): void => {
  describe('a database that fails in the middle of a commit', () => {
    for (const [title, expectPromise] of Object.entries(promises))
      it(title, async () => {
        const { reopen, failAt } = opened()
        if (reopen === undefined || failAt === undefined)
          throw new Error('A durable store also opens with `reopen` and `failAt`.')
        await expectPromise(expect, shop, { reopen, failAt })
      })
  })
}
