// The Store on SQLite: order, journal and outbox rows in one transaction, many steps in one commit.

import {
  type Conclusion,
  type Decide,
  type EntryUnknown,
  heldReference,
  type JournalLine,
  type Order,
  type OrderUnknown,
  type ReferenceTaken,
  type Report,
  type Settled,
  type Step,
  type Store,
  type StuckEntry,
  type Unavailable,
} from '@plazo/core'
import Sqlite from 'better-sqlite3'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { stateOf, stateText } from '../rows/state-text.ts'
import { type DataKey, isKeyMissing, seal } from '../sealing/sealer.ts'
import { sqliteAttempts } from './attempts.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'
import { sqliteDeliveries } from './deliveries.ts'
import { handingOver } from './handing-over.ts'
import { ORDER, type OrderRow, openInput, orderRows, PAYLOAD, sealInput } from './order-rows.ts'
import { sqliteOrders, waitingList } from './orders.ts'
import { type HeldEntry, outbox, placeOfMessage, type SealedEffect } from './outbox.ts'
import type { Job } from './phases.ts'
import { sqliteRetention } from './retention.ts'
import type { Vault } from './vault.ts'

type JournalRow = Omit<JournalLine, 'from' | 'to' | 'input'> & {
  readonly from_state: string
  readonly to_state: string
  readonly input: Buffer | null
}

/** A step, with all that is sealed of it. */
type SealedStep = {
  readonly step: Step
  readonly snapshot: Buffer
  /** Of each line of its journal. */
  readonly inputs: readonly (Buffer | null)[]
  readonly effects: readonly SealedEffect[]
}

type StuckRow = {
  readonly id: number
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly message: Buffer | string
}

export type SqliteStoreOptions = {
  /** Real time, for leases alone. */
  readonly realNow: () => number
  /** Tells this process's claims from those of any other. */
  readonly boot: string
  readonly vault: Vault
}

const unknown: OrderUnknown = { _tag: 'OrderUnknown' }

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

// A full or failing disk passes, and so does a key that is missing; a decision that throws, or rows that contradict each other, would do so every time.
const isOurFault = (cause: unknown): boolean =>
  !isKeyMissing(cause) && (!(cause instanceof Sqlite.SqliteError) || cause.code.startsWith('SQLITE_CONSTRAINT'))

export const sqliteStore = (db: Database, commits: CommitQueue, options: SqliteStoreOptions): Store => {
  const { vault } = options
  const attempts = sqliteAttempts(db, vault)
  const handing = handingOver()
  const queue = handing.through(commits)
  const entries = outbox(db, options.boot, attempts, vault, handing)
  db.transaction(entries.takeOverFromTheDead).immediate()

  const holder = db.prepare<[string, string], OrderRow>(`${ORDER} where merchant_ref = ? and held_reference = ?`)
  const holderId = db
    .prepare<[string, string], number>('select id from orders where merchant_ref = ? and held_reference = ?')
    .pluck()
  const insertOrder = db.prepare(
    'insert into orders (order_ref, merchant_ref, held_reference, revision, snapshot) values (?, ?, ?, ?, ?)',
  )
  const insertPlacement = db.prepare('insert into placements (order_id, placed, payload) values (?, ?, ?)')
  const updateOrder = db.prepare('update orders set revision = ?, snapshot = ?, held_reference = ? where id = ?')
  const insertLine = db.prepare(
    'insert into journal (order_id, seq, at, event, detail, from_state, to_state, input) values (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const lines = db.prepare<[number], JournalRow>('select * from journal where order_id = ? order by seq')
  const stuck = db.prepare<[], StuckRow>(`
    select b.id, b.order_id, o.order_ref, b.revision, b.lane, b.message
    from outbox b join orders o on o.id = b.order_id where b.state = 'stuck' order by b.id`)

  const rows = orderRows(db, vault)

  const noteWaiting = waitingList(db)

  const sealStep = (step: Step, key: DataKey): SealedStep => ({
    step,
    snapshot: rows.snapshotOf(step.order, key),
    inputs: step.journal.map(({ seq, input }) => input && sealInput(key, seq, input)),
    effects: entries.seal(step.effects, key),
  })

  // Under the key that the row was just read with: what another process has destroyed does not come back.
  const sealNext = ({ id, snapshot }: OrderRow, step: Step): SealedStep | null =>
    step.journal.length === 0 ? null : sealStep(step, vault.keyOf(id, snapshot))

  // Effects last: they are handed over in the same phase that ends the job.
  function* writeJournalAndEffects(id: number, { step, inputs, effects }: SealedStep): Generator<undefined, void> {
    const { placed, context } = step.order
    for (const [n, { seq, at, event, detail, from, to }] of step.journal.entries())
      insertLine.run(id, seq, at, event, detail, stateText(from), stateText(to), inputs[n] ?? null)
    noteWaiting(id, step)
    if (effects.length === 0) return
    yield
    entries.add(id, placed.merchant.ref, effects, context.updatedAt, options.realNow())
  }

  function* writeNext({ id }: OrderRow, sealed: SealedStep | null): Generator<undefined, void> {
    if (sealed === null) return
    const { order } = sealed.step
    updateOrder.run(order.revision, sealed.snapshot, heldReference(order), id)
    yield
    yield* writeJournalAndEffects(id, sealed)
  }

  const isTaken = (merchantRef: string, reference: string | null, by: number | null): boolean => {
    if (reference === null) return false
    const other = holderId.get(merchantRef, reference)
    return other !== undefined && other !== by
  }

  // Decided a second time where the reference it asks for turns out to be taken; nothing has been written by then.
  const decideOn = <E, A>(
    row: OrderRow,
    decide: Decide<E, A>,
  ): E.Either<E | ReferenceTaken, { readonly step: Step; readonly answer: A }> => {
    const order = rows.orderOf(row)
    const first = decide(order, false)
    if (E.isLeft(first) || !isTaken(row.merchant_ref, first.right.step.reference, row.id)) return first
    const second = decide(order, true)
    if (E.isLeft(second) || !isTaken(row.merchant_ref, second.right.step.reference, row.id)) return second
    return E.left({ _tag: 'ReferenceTaken', reference: second.right.step.reference ?? '' })
  }

  /** A job whose answer is an Either of its own, run in the next commit, or soon. */
  const inCommit =
    <E, A>(job: Job<E.Either<E, A>>, run = queue.run): TaskEither<E | Unavailable, A> =>
    async () => {
      const committed = await run(job)
      return E.isLeft(committed) ? committed : committed.right
    }

  const reading =
    <E, A>(read: () => E.Either<E, A>): TaskEither<E | Unavailable, A> =>
    async () => {
      try {
        return read()
      } catch (cause) {
        return E.left({ _tag: 'Unavailable', message: messageOf(cause) })
      }
    }

  function* settleHeld(
    entry: HeldEntry,
    conclusion: Conclusion,
    decide: Decide<{ readonly message: string }, null> | null,
    report: Report | null,
  ): Generator<undefined, Settled> {
    const row = decide === null ? undefined : rows.byId(entry.order_id)
    yield
    const decided = row === undefined || decide === null ? null : decideOn(row, decide)
    if (decided !== null && E.isLeft(decided)) {
      const message = 'message' in decided.left ? decided.left.message : decided.left._tag
      entries.park(entry, message, conclusion, report)
      return 'stuck'
    }
    yield
    const sealed = row === undefined || decided === null ? null : sealNext(row, decided.right.step)
    yield
    entries.conclude(entry, conclusion, report)
    if (row !== undefined) yield* writeNext(row, sealed)
    return 'settled'
  }

  const parkIfHeld = (token: string, message: string, conclusion: Conclusion, report: Report | null): Settled => {
    const entry = entries.held(token)
    if (entry === undefined) return 'lost'
    entries.park(entry, message, conclusion, report)
    return 'stuck'
  }

  return {
    place: (step, payload) =>
      inCommit({
        about: step.order.placed.orderRef,
        *phases(): Generator<undefined, E.Either<ReferenceTaken, void>> {
          const { order } = step
          const { orderRef, merchant } = order.placed
          if (isTaken(merchant.ref, step.reference, null))
            return E.left({ _tag: 'ReferenceTaken', reference: step.reference ?? '' })
          yield
          const { dataKey, keep } = vault.draw(orderRef)
          const sealed = sealStep(step, dataKey)
          const placed = rows.placedOf(order.placed, dataKey)
          const kept = seal(dataKey, PAYLOAD, payload)
          yield
          const held = heldReference(order)
          const id = Number(
            insertOrder.run(orderRef, merchant.ref, held, order.revision, sealed.snapshot).lastInsertRowid,
          )
          yield
          keep(id)
          insertPlacement.run(id, placed, kept)
          rows.rememberPlacement(id, order.placed)
          yield
          yield* writeJournalAndEffects(id, sealed)
          return E.right(undefined)
        },
      }),

    read: (orderRef) =>
      reading((): E.Either<OrderUnknown, Order> => {
        const row = rows.byRef(orderRef)
        return row === undefined ? E.left(unknown) : E.right(rows.orderOf(row))
      }),

    journal: (orderRef) =>
      reading((): E.Either<OrderUnknown, readonly JournalLine[]> => {
        const row = rows.byRef(orderRef)
        if (row === undefined) return E.left(unknown)
        return E.right(
          lines.all(row.id).map(({ seq, at, event, detail, from_state, to_state, input }) => ({
            seq,
            at,
            event,
            detail,
            from: stateOf(from_state),
            to: stateOf(to_state),
            input: input === null ? null : openInput(vault, row.id, seq, input),
          })),
        )
      }),

    findHolder: (merchantRef, orderRef1) =>
      reading((): E.Either<OrderUnknown, Order> => {
        const row = holder.get(merchantRef, orderRef1)
        return row === undefined ? E.left(unknown) : E.right(rows.orderOf(row))
      }),

    step: <E, A>(orderRef: string, decide: Decide<E, A>) =>
      inCommit({
        about: orderRef,
        *phases(): Generator<undefined, E.Either<E | OrderUnknown | ReferenceTaken, A>> {
          const row = rows.byRef(orderRef)
          if (row === undefined) return E.left(unknown)
          yield
          const decided = decideOn(row, decide)
          if (E.isLeft(decided)) return decided
          yield
          const sealed = sealNext(row, decided.right.step)
          yield
          yield* writeNext(row, sealed)
          return E.right(decided.right.answer)
        },
      }),

    claim: (request) =>
      inCommit(() => {
        vault.heedOthers()
        return E.right(entries.claim(request(), options.realNow()))
      }, queue.runSoon),

    handOver: handing.handOver,

    settle:
      ({ token, orderRef }, conclusion, decide, report) =>
      async () => {
        let fault: string | null = null
        const settled = await queue.runSoon({
          about: orderRef,
          *phases(): Generator<undefined, Settled> {
            const entry = entries.held(token)
            if (entry === undefined) return 'lost'
            try {
              return yield* settleHeld(entry, conclusion, decide, report)
            } catch (cause) {
              if (isOurFault(cause)) fault = messageOf(cause)
              throw cause
            }
          },
        })
        const message = fault
        return message === null ? settled : queue.run(() => parkIfHeld(token, message, conclusion, report))
      },

    release: (claimed) =>
      inCommit(() => {
        for (const { token } of claimed) entries.release(token)
        return E.right(undefined)
        // Not before what settles one of them, which has come before it.
      }, queue.runSoon),

    nextDueAt: () => reading(() => E.right(entries.nextDueAt())),

    backlog: () => reading(() => E.right(entries.backlog())),

    stuck: () =>
      reading(() =>
        E.right(
          stuck.all().map(
            ({ id, order_id, order_ref, revision, lane, message }): StuckEntry => ({
              key: `${order_ref}:${revision}:${lane}`,
              orderRef: order_ref,
              message: Buffer.isBuffer(message) ? vault.open(order_id, placeOfMessage(id), message) : message,
            }),
          ),
        ),
      ),

    unpark: (key, at) =>
      inCommit(
        (): E.Either<EntryUnknown, void> =>
          entries.unpark(key, at) ? E.right(undefined) : E.left({ _tag: 'EntryUnknown' }),
      ),

    deliveries: sqliteDeliveries(db, queue, attempts, handing.tell),

    orders: sqliteOrders(db, rows.orderOf, reading),

    retention: sqliteRetention(db, queue),
  }
}
