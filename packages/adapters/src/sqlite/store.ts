// The Store on SQLite. Steps are decided here. The writer writes order, journal and outbox rows in one transaction.
import type {
  Decide,
  FullStore,
  HistoryPage,
  JournalLine,
  Order,
  OrderNotFound,
  QueueStats,
  ReferenceTaken,
  Retention,
  Step,
  Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { aadForInput } from '../sql/associated-data.ts'
import { earliest } from '../sql/merchant-shares.ts'
import { createClaim } from './claim.ts'
import type { CommitQueue, QueuedWrite } from './commit-queue.ts'
import { createJobCompletion } from './completion.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { createOrderCache, createOrderDecider, ORDER, type OrderRow } from './order-cache.ts'
import { createPayloadCache } from './payload-cache.ts'
import { sqliteAttempts } from './queries/attempts.ts'
import { sqliteDeliveries } from './queries/deliveries.ts'
import { createDueJobs } from './queries/due-jobs.ts'
import { prepareReadHistory, prepareReadLines } from './queries/journal.ts'
import { sqliteOrders } from './queries/orders.ts'
import type { Database } from './schema/database.ts'
import { encodeReference, toPlaceWrite, toStepWrite } from './step-rows.ts'
import { sqliteStuckJobs } from './stuck-jobs.ts'
import { runOrUnavailable } from './unavailable.ts'
import type { WriteConflict } from './writer/commands.ts'

// Sends retention requests to the writer, which deletes old deliveries and journals from SQLite.
const sqliteRetention = (queue: CommitQueue): Retention => ({
  dropDeliveries: (request) => () => queue.askSoon({ name: 'dropDeliveries', input: request }),
  dropJournals: (request) => () => queue.askSoon({ name: 'dropJournals', input: request }),
})

const canRead = (db: Database): boolean => {
  try {
    return db.prepare('select 1').pluck().get() === 1
  } catch {
    return false
  }
}

const notFound: OrderNotFound = { _tag: 'OrderNotFound' }

const referenceTaken = (reference: string | null): E.Either<ReferenceTaken, never> =>
  E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' })

export const sqliteStore = (db: Database, queue: CommitQueue, dataKeys: DataKeys): FullStore => {
  const attempts = sqliteAttempts(db, dataKeys)
  const orderCache = createOrderCache(db, dataKeys)
  const payloadCache = createPayloadCache(db, dataKeys)
  const { nextDueAtOf } = createDueJobs(db)
  const orderDecider = createOrderDecider(orderCache, payloadCache)
  const { decideOn, cacheStep } = orderDecider
  const completion = createJobCompletion(queue, orderDecider)

  const holder = db.prepare<[string, string], OrderRow>(`${ORDER} where merchant_ref = ? and held_reference = ?`)
  const linesOf = prepareReadLines(db)
  const historyOf = prepareReadHistory(db)
  const inFlightCount = db.prepare<[], number>(`select count(*) from outbox where state = 'claimed'`).pluck()
  const stuckCount = db.prepare<[], number>(`select count(*) from outbox where state = 'stuck'`).pluck()

  const slowMerchants = db
    .prepare<[], string>(
      `select distinct queue from outbox
       where state = 'claimed' and class in ('event', 'ipn') and share is not null limit 100`,
    )
    .pluck()

  const buildStepWrite = <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
    resolve: (answer: E.Either<E | OrderNotFound | ReferenceTaken | Unavailable, A>) => void,
  ): QueuedWrite => {
    let isTaken = false
    let step: Step
    let came: (result: 'done' | WriteConflict) => boolean
    return {
      about: orderRef,
      plan: () => {
        const decided = decideOn(orderRef, decide, isTaken)
        if (decided === null) {
          resolve(E.left(notFound))
          return null
        }
        const { on, decision } = decided
        if (E.isLeft(decision)) {
          resolve(decision)
          return null
        }
        step = decision.right.step
        const write = toStepWrite(step, on)
        if (write === null) {
          resolve(E.right(decision.right.answer))
          return null
        }
        came = (result) => {
          if (result === 'changed' || (result === 'reference_taken' && !isTaken)) {
            isTaken ||= result === 'reference_taken'
            return false
          }
          if (result === 'done') cacheStep(on.id, step)
          resolve(result === 'done' ? E.right(decision.right.answer) : referenceTaken(step.reference))
          return true
        }
        return { name: 'step', input: write }
      },
      came: (result) => came(result as 'done' | WriteConflict),
      failed: (error) => resolve(E.left(error)),
    }
  }

  return {
    place: (step, payload) => () =>
      new Promise((resolve) =>
        queue.run({
          about: step.order.placed.orderRef,
          plan: () => ({ name: 'place', input: toPlaceWrite(step, payload) }),
          came: (id) => {
            if (typeof id === 'number') cacheStep(id, step)
            resolve(typeof id === 'number' ? E.right(undefined) : referenceTaken(step.reference))
            return true
          },
          failed: (error) => resolve(E.left(error)),
        }),
      ),

    read: (orderRef) =>
      runOrUnavailable((): E.Either<OrderNotFound, Order> => {
        const found = orderCache.read(orderRef)
        return found === undefined ? E.left(notFound) : E.right(found.order)
      }),

    journal: (orderRef) =>
      runOrUnavailable((): E.Either<OrderNotFound, readonly JournalLine[]> => {
        const found = orderCache.read(orderRef)
        if (found === undefined) return E.left(notFound)
        return E.right(
          linesOf(found.id).map(({ input, ...line }) => ({
            ...line,
            input:
              input && (JSON.parse(dataKeys.decrypt(found.id, aadForInput(line.seq), input)) as JournalLine['input']),
          })),
        )
      }),

    history: (orderRef, from, limit) =>
      runOrUnavailable((): E.Either<OrderNotFound, HistoryPage> => {
        const found = orderCache.read(orderRef)
        return found === undefined ? E.left(notFound) : E.right(historyOf(found.id, from, limit))
      }),

    findByReference: (merchantRef, orderRef1) =>
      runOrUnavailable((): E.Either<OrderNotFound, Order> => {
        const row = holder.get(merchantRef, encodeReference(orderRef1))
        return row === undefined ? E.left(notFound) : E.right(orderCache.orderOf(row))
      }),

    step: (orderRef, decide) => () => new Promise((resolve) => queue.run(buildStepWrite(orderRef, decide, resolve))),

    claim: createClaim(queue, payloadCache, dataKeys, completion),

    onCommitted: queue.onCommitted,

    takesWrites: async () => canRead(db) && (await queue.takesWrites()),

    complete: completion.complete,

    release: completion.release,

    nextDueAt: () =>
      runOrUnavailable(() => E.right(earliest([nextDueAtOf('work'), nextDueAtOf('event'), nextDueAtOf('ipn')]))),

    queueStats: () =>
      runOrUnavailable(
        (): E.Either<never, QueueStats> =>
          E.right({
            nextDueAt: { work: nextDueAtOf('work'), event: nextDueAtOf('event'), ipn: nextDueAtOf('ipn') },
            inFlight: inFlightCount.get() ?? 0,
            stuckCount: stuckCount.get() ?? 0,
            slowMerchants: slowMerchants.all(),
          }),
      ),

    ...sqliteStuckJobs(db, queue, dataKeys),

    deliveries: sqliteDeliveries(db, queue, attempts),

    orders: sqliteOrders(db, orderCache.orderOf),

    retention: sqliteRetention(queue),
  }
}
