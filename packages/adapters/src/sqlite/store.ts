// The Store on SQLite: decided here, and written by the writer, order, journal and outbox rows in one transaction.

import {
  type Backlog,
  type ClaimRequest,
  type Conclusion,
  type Decide,
  type Entry,
  type EntryUnknown,
  effectKey,
  isStill,
  type JournalLine,
  type Order,
  type OrderUnknown,
  type ReferenceTaken,
  type ReleasedAs,
  type Report,
  type Settled,
  type Step,
  type Store,
  type StuckEntry,
  type Unavailable,
  unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { IO } from 'fp-ts/lib/IO.js'
import { earliest } from '../rows/earliest.ts'
import { placeOfInput, placeOfMessage } from '../rows/places.ts'
import { sqliteAttempts } from './attempts.ts'
import type { CommitQueue, Job } from './commit-queue.ts'
import type { Database } from './database.ts'
import { sqliteDeliveries } from './deliveries.ts'
import { dueEntries } from './due.ts'
import { readingLines } from './journal.ts'
import { type KnownOrder, ORDER, type OrderRow, orderRows } from './order-rows.ts'
import { handedEntry, placeWrite, stepWrite } from './order-writes.ts'
import { sqliteOrders } from './orders.ts'
import { sqliteRetention } from './retention.ts'
import { trying } from './trying.ts'
import type { Vault } from './vault.ts'
import { sqliteWorks } from './works.ts'
import type { ClaimedEntry, Refused, StepWrite } from './writer/calls.ts'
import { failureOf } from './writer/committing.ts'

type StuckRow = {
  readonly id: number
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly message: Buffer | string
}

const unknown: OrderUnknown = { _tag: 'OrderUnknown' }

const taken = (reference: string | null): E.Either<ReferenceTaken, never> =>
  E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' })

/** What was decided, and on what. */
type Decided<E, A> = { readonly on: KnownOrder; readonly said: ReturnType<Decide<E, A>> }

export const sqliteStore = (db: Database, queue: CommitQueue, vault: Vault): Store => {
  const attempts = sqliteAttempts(db, vault)
  const rows = orderRows(db, vault)
  const works = sqliteWorks(db, vault)
  const { nextOf } = dueEntries(db)

  const holder = db.prepare<[string, string], OrderRow>(`${ORDER} where merchant_ref = ? and held_reference = ?`)
  const linesOf = readingLines(db)
  const stuckCount = db.prepare<[], number>(`select count(*) from outbox where state = 'stuck'`).pluck()
  const stuck = db.prepare<[], StuckRow>(`
    select b.id, b.order_id, o.order_ref, b.revision, b.lane, b.message
    from outbox b join orders o on o.id = b.order_id where b.state = 'stuck' order by b.id`)

  // What is written says what it was decided on; whatever else is answered stands in the order as it is committed.
  const decideOn = <E, A>(orderRef: string, decide: Decide<E, A>, isTaken: boolean): Decided<E, A> | null => {
    const known = rows.known(orderRef)
    if (known !== undefined) {
      const said = decide(known.order, isTaken)
      const writes = E.isRight(said) && !isStill(said.right.step)
      if (writes || rows.stands(known)) return { on: known, said }
    }
    const on = rows.read(orderRef)
    return on === undefined ? null : { on, said: decide(on.order, isTaken) }
  }

  const remember = (id: number, { order, effects }: Step): void => {
    rows.remember({ id, order })
    works.remember(effects)
  }

  const stepJob = <E, A>(
    orderRef: string,
    decide: Decide<E, A>,
    resolve: (answer: E.Either<E | OrderUnknown | ReferenceTaken | Unavailable, A>) => void,
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

  type Settling = {
    readonly orderRef: string
    readonly token: string
    readonly conclusion: Conclusion
    readonly report: Report | null
    /** Why no step can be made of it: it is parked. */
    readonly fault: string | null
  }

  const settleJob = (
    settling: Settling,
    decide: Decide<{ readonly message: string }, null> | null,
    resolve: (settled: E.Either<Unavailable, Settled>) => void,
  ): Job => {
    const { orderRef } = settling
    let isTaken = false
    let fault = settling.fault
    let planned: { readonly step: Step; readonly on: KnownOrder } | null = null

    const stepOf = (): StepWrite | null => {
      const decided = decide && decideOn(orderRef, decide, isTaken)
      if (decided === null) return null
      const { on, said } = decided
      if (E.isLeft(said)) {
        fault = said.left.message
        return null
      }
      planned = { step: said.right.step, on }
      return stepWrite(said.right.step, on)
    }

    const plan = (): StepWrite | null => {
      planned = null
      if (fault !== null) return null
      try {
        return stepOf()
      } catch (cause) {
        const { message, isOurs } = failureOf(cause)
        if (!isOurs) throw cause
        fault = message
        return null
      }
    }

    return {
      about: decide && orderRef,
      plan: () => ({ name: 'settle', given: { ...settling, step: plan(), fault } }),
      came: (result) => {
        if (result === 'moved') return false
        if (result === 'taken') {
          // Decided knowing that it is, and taken all the same.
          if (isTaken) fault = 'ReferenceTaken'
          isTaken = true
          return false
        }
        if (result === 'settled' && planned !== null) remember(planned.on.id, planned.step)
        resolve(E.right(result as Settled))
        return true
      },
      failed: (failure) => {
        // Rows that contradict each other would do so every time.
        if (failure.isOurs && fault === null)
          queue.run(settleJob({ ...settling, fault: failure.message }, null, resolve))
        else resolve(unavailable(failure.message))
      },
      handed: (n, token, at) => planned && handedEntry(planned.step, n, token, at),
    }
  }

  const claiming = (request: IO<ClaimRequest>): Promise<E.Either<Unavailable, readonly ClaimedEntry[]>> =>
    new Promise((resolve) =>
      queue.runSoon({
        about: null,
        plan: () => {
          vault.heed()
          return { name: 'claim', given: request() }
        },
        came: (claimed) => {
          resolve(E.right(claimed as readonly ClaimedEntry[]))
          return true
        },
        failed: (failure) => resolve(unavailable(failure.message)),
      }),
    )

  const park = ({ orderRef, token }: ClaimedEntry, fault: string): Promise<E.Either<Unavailable, Settled>> => {
    const settling = { orderRef, token, conclusion: { type: 'again', dueAt: 0 }, report: null, fault } as const
    return new Promise((resolve) => queue.run(settleJob(settling, null, resolve)))
  }

  // What cannot be opened with the right keys never can be: it is parked, and holds up nothing else. Where a master key is
  // missing the settings are at fault: the claim passes on by itself, and opens once they are mended.
  const opening = async (claimed: readonly ClaimedEntry[]): Promise<E.Either<Unavailable, readonly Entry[]>> => {
    const entries: Entry[] = []
    const parked: Promise<unknown>[] = []
    for (const each of claimed) {
      const { id: _, ...entry } = each
      try {
        entries.push({ ...entry, work: works.of(each) })
      } catch (cause) {
        const failure = failureOf(cause)
        if (!failure.isOurs) return unavailable(failure.message)
        parked.push(park(each, failure.message))
      }
    }
    await Promise.all(parked)
    return E.right(entries)
  }

  const giveBack = (orderRef: string, token: string, as: ReleasedAs): Promise<E.Either<Unavailable, void>> =>
    new Promise((resolve) =>
      // Not before what settles it, which has come before.
      queue.runSoon({
        about: orderRef,
        plan: () => ({ name: 'release', given: { token, as } }),
        came: () => {
          resolve(E.right(undefined))
          return true
        },
        failed: (failure) => resolve(unavailable(failure.message)),
      }),
    )

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
      trying((): E.Either<OrderUnknown, Order> => {
        const found = rows.read(orderRef)
        return found === undefined ? E.left(unknown) : E.right(found.order)
      }),

    journal: (orderRef) =>
      trying((): E.Either<OrderUnknown, readonly JournalLine[]> => {
        const found = rows.read(orderRef)
        if (found === undefined) return E.left(unknown)
        return E.right(
          linesOf(found.id).map(({ input, ...line }) => ({
            ...line,
            input: input && (JSON.parse(vault.open(found.id, placeOfInput(line.seq), input)) as JournalLine['input']),
          })),
        )
      }),

    findHolder: (merchantRef, orderRef1) =>
      trying((): E.Either<OrderUnknown, Order> => {
        const row = holder.get(merchantRef, orderRef1)
        return row === undefined ? E.left(unknown) : E.right(rows.orderOf(row))
      }),

    step: (orderRef, decide) => () => new Promise((resolve) => queue.run(stepJob(orderRef, decide, resolve))),

    claim: (request) => async () => {
      const claimed = await claiming(request)
      return E.isLeft(claimed) ? claimed : opening(claimed.right)
    },

    handOver: queue.handOver,

    settle:
      ({ token, orderRef }, conclusion, decide, report) =>
      () =>
        new Promise((resolve) =>
          queue.runSoon(settleJob({ orderRef, token, conclusion, report, fault: null }, decide, resolve)),
        ),

    release: (claimed, as) => async () => {
      const given = await Promise.all(claimed.map(({ orderRef, token }) => giveBack(orderRef, token, as)))
      return given.find(E.isLeft) ?? E.right(undefined)
    },

    nextDueAt: () => trying(() => E.right(earliest([nextOf('work'), nextOf('event'), nextOf('ipn')]))),

    backlog: () =>
      trying(
        (): E.Either<never, Backlog> =>
          E.right({
            nextDueAt: { work: nextOf('work'), event: nextOf('event'), ipn: nextOf('ipn') },
            stuck: stuckCount.get() ?? 0,
          }),
      ),

    stuck: () =>
      trying(() =>
        E.right(
          stuck.all().map(
            ({ id, order_id, order_ref, revision, lane, message }): StuckEntry => ({
              key: effectKey(order_ref, revision, lane),
              orderRef: order_ref,
              message: Buffer.isBuffer(message) ? vault.open(order_id, placeOfMessage(id), message) : message,
            }),
          ),
        ),
      ),

    unpark: (key, at) => async (): Promise<E.Either<EntryUnknown | Unavailable, void>> => {
      const committed = await queue.ask({ name: 'unpark', given: { key, at } })
      if (E.isLeft(committed)) return committed
      return committed.right ? E.right(undefined) : E.left({ _tag: 'EntryUnknown' })
    },

    deliveries: sqliteDeliveries(db, queue, attempts),

    orders: sqliteOrders(db, rows.orderOf),

    retention: sqliteRetention(queue),
  }
}
