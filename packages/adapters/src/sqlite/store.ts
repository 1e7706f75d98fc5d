// The Store on SQLite. Steps are decided here. The writer writes order, journal and outbox rows in one transaction.

import {
  type Decide,
  type HistoryPage,
  type JournalLine,
  type Order,
  type OrderNotFound,
  type QueueStats,
  type ReferenceTaken,
  type Step,
  type Store,
  type Unavailable,
  unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { earliest } from '../rows/earliest.ts'
import { placeOfInput } from '../rows/places.ts'
import { sqliteAttempts } from './attempts.ts'
import { claiming } from './claiming.ts'
import type { CommitQueue, Job } from './commit-queue.ts'
import type { Database } from './database.ts'
import { deciding } from './deciding.ts'
import { sqliteDeliveries } from './deliveries.ts'
import { dueEntries } from './due.ts'
import { readingHistory, readingLines } from './journal.ts'
import { ORDER, type OrderRow, orderRows } from './order-rows.ts'
import { handedEntry, placeWrite, stepWrite } from './order-writes.ts'
import { sqliteOrders } from './orders.ts'
import { referenceText } from './reference-text.ts'
import { sqliteRetention } from './retention.ts'
import { settling } from './settling.ts'
import { stuckEntries } from './stuck.ts'
import { trying } from './trying.ts'
import type { Vault } from './vault.ts'
import { sqliteWorks } from './works.ts'
import type { Refused } from './writer/calls.ts'

const unknown: OrderNotFound = { _tag: 'OrderNotFound' }

const taken = (reference: string | null): E.Either<ReferenceTaken, never> =>
  E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' })

export const sqliteStore = (db: Database, queue: CommitQueue, vault: Vault): Store => {
  const attempts = sqliteAttempts(db, vault)
  const rows = orderRows(db, vault)
  const works = sqliteWorks(db, vault)
  const { nextOf } = dueEntries(db)
  const decides = deciding(rows, works)
  const { decideOn, remember } = decides
  const settles = settling(queue, decides)

  const holder = db.prepare<[string, string], OrderRow>(`${ORDER} where merchant_ref = ? and held_reference = ?`)
  const linesOf = readingLines(db)
  const historyOf = readingHistory(db)
  const inFlightCount = db.prepare<[], number>(`select count(*) from outbox where state = 'claimed'`).pluck()
  const stuckCount = db.prepare<[], number>(`select count(*) from outbox where state = 'stuck'`).pluck()

  const slowMerchants = db
    .prepare<[], string>(
      `select distinct queue from outbox
       where state = 'claimed' and class in ('event', 'ipn') and share is not null limit 100`,
    )
    .pluck()

  const stepJob = <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
    resolve: (answer: E.Either<E | OrderNotFound | ReferenceTaken | Unavailable, A>) => void,
  ): Job => {
    let isTaken = false
    let step: Step
    let came: (result: 'done' | Refused) => boolean
    return {
      about: orderRef,
      plan: () => {
        const decided = decideOn(orderRef, decide, isTaken)
        if (decided === null) {
          resolve(E.left(unknown))
          return null
        }
        const { on, said } = decided
        if (E.isLeft(said)) {
          resolve(said)
          return null
        }
        step = said.right.step
        const write = stepWrite(step, on)
        if (write === null) {
          resolve(E.right(said.right.answer))
          return null
        }
        came = (result) => {
          if (result === 'moved' || (result === 'taken' && !isTaken)) {
            isTaken ||= result === 'taken'
            return false
          }
          if (result === 'done') remember(on.id, step)
          resolve(result === 'done' ? E.right(said.right.answer) : taken(step.reference))
          return true
        }
        return { name: 'step', given: write }
      },
      came: (result) => came(result as 'done' | Refused),
      failed: (failure) => resolve(unavailable(failure.message)),
      handed: (n, token, at) => handedEntry(step, n, token, at),
    }
  }

  return {
    place: (step, payload) => () =>
      new Promise((resolve) =>
        queue.run({
          about: step.order.placed.orderRef,
          plan: () => ({ name: 'place', given: placeWrite(step, payload) }),
          came: (id) => {
            if (typeof id === 'number') remember(id, step)
            resolve(typeof id === 'number' ? E.right(undefined) : taken(step.reference))
            return true
          },
          failed: (failure) => resolve(unavailable(failure.message)),
          handed: (n, token, at) => handedEntry(step, n, token, at),
        }),
      ),

    read: (orderRef) =>
      trying((): E.Either<OrderNotFound, Order> => {
        const found = rows.read(orderRef)
        return found === undefined ? E.left(unknown) : E.right(found.order)
      }),

    journal: (orderRef) =>
      trying((): E.Either<OrderNotFound, readonly JournalLine[]> => {
        const found = rows.read(orderRef)
        if (found === undefined) return E.left(unknown)
        return E.right(
          linesOf(found.id).map(({ input, ...line }) => ({
            ...line,
            input: input && (JSON.parse(vault.open(found.id, placeOfInput(line.seq), input)) as JournalLine['input']),
          })),
        )
      }),

    history: (orderRef, from, limit) =>
      trying((): E.Either<OrderNotFound, HistoryPage> => {
        const found = rows.read(orderRef)
        return found === undefined ? E.left(unknown) : E.right(historyOf(found.id, from, limit))
      }),

    findByReference: (merchantRef, orderRef1) =>
      trying((): E.Either<OrderNotFound, Order> => {
        const row = holder.get(merchantRef, referenceText(orderRef1))
        return row === undefined ? E.left(unknown) : E.right(rows.orderOf(row))
      }),

    step: (orderRef, decide) => () => new Promise((resolve) => queue.run(stepJob(orderRef, decide, resolve))),

    claim: claiming(queue, works, vault, settles),

    handOver: queue.handOver,

    complete: settles.complete,

    release: settles.release,

    nextDueAt: () => trying(() => E.right(earliest([nextOf('work'), nextOf('event'), nextOf('ipn')]))),

    queueStats: () =>
      trying(
        (): E.Either<never, QueueStats> =>
          E.right({
            nextDueAt: { work: nextOf('work'), event: nextOf('event'), ipn: nextOf('ipn') },
            inFlight: inFlightCount.get() ?? 0,
            stuck: stuckCount.get() ?? 0,
            slowMerchants: slowMerchants.all(),
          }),
      ),

    ...stuckEntries(db, queue, vault),

    deliveries: sqliteDeliveries(db, queue, attempts),

    orders: sqliteOrders(db, rows.orderOf),

    retention: sqliteRetention(queue),
  }
}
