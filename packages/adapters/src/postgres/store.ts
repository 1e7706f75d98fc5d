// The Store on PostgreSQL: a step is one statement that writes, after one that reads where the order is not remembered;
// both are shared by whoever steps at the time.
import {
  type Backlog,
  type ClaimRequest,
  type Conclusion,
  type Decide,
  type Entry,
  type EntryUnknown,
  effectKey,
  effectKeyParts,
  endedByItsStep,
  isStill,
  type JournalLine,
  messageOf,
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
import * as TE from 'fp-ts/lib/TaskEither.js'
import { earliest } from '../rows/earliest.ts'
import { placeOfInput, placeOfMessage } from '../rows/places.ts'
import { stateOf } from '../rows/state-text.ts'
import { type ClaimToken, isBeside, readToken } from './claim-token.ts'
import { type Claimed, type ClaimingOptions, claiming, NEXT_DUE, type NextDue } from './claiming.ts'
import { type Connection, isUuid, type Statement, trying } from './connection.ts'
import { postgresDeliveries } from './deliveries.ts'
import { concludedRow, parkedRow, releasedRow } from './endings.ts'
import { handingOver } from './handing-over.ts'
import { orderReading, type ReadOrder } from './order-reading.ts'
import { postgresOrders } from './orders.ts'
import { placing } from './placing.ts'
import { referenceText } from './reference-text.ts'
import { postgresRetention } from './retention.ts'
import { rowsOfStep } from './rows-of-step.ts'
import type { KeyColumns, Vault } from './vault.ts'
import { type Job, type OrderChange, type Plan, type WriteQueueOptions, writeQueue } from './write-queue.ts'
import type { EndingRow, LaneRow } from './writing.ts'

export type PostgresStoreOptions = ClaimingOptions & WriteQueueOptions & { readonly vault: Vault }

export type PostgresStore = Store & { readonly close: () => Promise<void> }

type LineRow = Pick<JournalLine, 'seq' | 'at' | 'event' | 'detail'> & {
  readonly from_state: string
  readonly to_state: string
  readonly input: Buffer | null
} & KeyColumns

const JOURNAL: Statement = {
  name: 'journal-read',
  text: `
    select j.seq, j.at, j.event, j.detail, j.from_state, j.to_state, j.input, k.key_id, k.tag, k.sealed
    from plazo.journal j join plazo.data_keys k on k.order_ref = j.order_ref
    where j.order_ref = $1 order by j.seq`,
}

const HOLDER: Statement = {
  name: 'reference-holder',
  text: 'select order_ref from plazo.held_references where merchant_ref = $1 and reference = $2',
}

type StuckRow = KeyColumns & {
  readonly order_ref: string
  readonly id: number
  readonly revision: number
  readonly lane: string
  readonly message: Buffer
}

const STUCK: Statement = {
  name: 'outbox-stuck',
  text: `
    select b.order_ref, b.id, b.revision, b.lane, b.message, k.key_id, k.tag, k.sealed
    from plazo.outbox b join plazo.data_keys k on k.order_ref = b.order_ref
    where b.state = 'stuck' order by b.id`,
}

const LOCK: Statement = {
  name: 'order-lock',
  text: 'update plazo.orders set version = version + 1 where order_ref = $1',
}

const UNPARK: Statement = {
  name: 'outbox-unpark',
  text: `
    update plazo.outbox b set message = null, due_at = $4, state = case when exists (
        select from plazo.outbox a
        where a.order_ref = b.order_ref and a.lane = b.lane and a.state in ('queued', 'pending', 'claimed'))
      then 'queued' else 'pending' end
    where b.state = 'stuck' and b.order_ref = $1 and b.revision = $2 and b.lane = $3 returning b.id`,
}

const unknown: OrderUnknown = { _tag: 'OrderUnknown' }
const entryUnknown: EntryUnknown = { _tag: 'EntryUnknown' }

// What another node's turn came between is looked at again, a little later each time.
const CLAIM_TRIES = 6

const concludedIn = (orderRef: string, { id, lane }: ClaimToken, { ends_as }: EndingRow): LaneRow => ({
  order_ref: orderRef,
  lane,
  withdraws: false,
  hastens_to: null,
  concludes: id,
  ends: ends_as !== undefined,
})

const writing = (change: () => OrderChange): Plan => ({ type: 'write', change })

/** A write that concludes an effect, and makes no step. `on`: what that was decided on. */
const concluding = (orderRef: string, token: ClaimToken, ending: EndingRow, on?: Order): OrderChange => ({
  order: { order_ref: orderRef, ...(on && { expected: on.revision }), ...ending },
  lines: [],
  lanes: isBeside(token) ? [] : [concludedIn(orderRef, token, ending)],
  effects: [],
  leaves: null,
})

const stepping = (step: Step, { order, key }: ReadOrder): OrderChange => ({
  ...rowsOfStep(step, order, key),
  leaves: step.order,
})

// The step sees its own effect concluded already: what it does to that effect's lane, it does to what is left.
const together = (step: OrderChange, token: ClaimToken, ending: EndingRow, report: Report | null): OrderChange => {
  const own = step.lanes.find(({ lane }) => lane === token.lane)
  const { ends_as, due_at } = ending
  const isPendingAgain = ends_as === undefined && own !== undefined
  const left: EndingRow = {
    ...ending,
    ...(isPendingAgain && own.withdraws && { ends_as: endedByItsStep(report) }),
    ...(isPendingAgain && own.hastens_to !== null && { due_at: Math.min(due_at ?? own.hastens_to, own.hastens_to) }),
  }
  const { lanes } = concluding(step.order.order_ref, token, left)
  return {
    ...step,
    order: { ...step.order, ...left },
    lanes: [
      ...step.lanes.filter((each) => each !== own),
      ...lanes.map((lane) => ({
        ...lane,
        withdraws: own?.withdraws ?? false,
        hastens_to: own?.hastens_to ?? null,
      })),
    ],
  }
}

export const postgresStore = (connection: Connection, options: PostgresStoreOptions): PostgresStore => {
  const { vault } = options
  const { query, transaction } = connection
  const reading = orderReading(connection, vault)
  const handing = handingOver(options)
  const writes = writeQueue(connection, reading, handing, options)
  const claim = claiming(connection, vault, options)
  const place = placing(connection, vault, reading, handing)

  const settleJob = (
    orderRef: string,
    token: ClaimToken,
    conclusion: Conclusion,
    decide: Decide<{ readonly message: string }, null> | null,
    report: Report | null,
    resolve: (settled: E.Either<Unavailable, Settled>) => void,
  ): Job => {
    let cameTo: Settled = 'settled'
    return {
      orderRef,
      reads: decide !== null || (!!report?.response && vault.known(orderRef) === undefined),
      plan: (read, referenceIsTaken) => {
        const key = read?.key ?? vault.known(orderRef)
        const park = (message: string, on: Order): Plan => {
          cameTo = 'stuck'
          return writing(() => concluding(orderRef, token, parkedRow(token, message, conclusion, report, key), on))
        }
        cameTo = 'settled'
        const ending = () => concludedRow(token, conclusion, report, key)
        if (decide === null || read === undefined) return writing(() => concluding(orderRef, token, ending()))
        const { order } = read
        const decided = E.tryCatch(() => decide(order, referenceIsTaken), messageOf)
        if (E.isLeft(decided)) return park(decided.left, order)
        if (E.isLeft(decided.right)) return park(decided.right.left.message, order)
        const { step } = decided.right.right
        return writing(() =>
          isStill(step)
            ? concluding(orderRef, token, ending(), order)
            : together(stepping(step, read), token, ending(), report),
        )
      },
      written: (came) => {
        if (came === 'taken') parkAlone(orderRef, token, 'ReferenceTaken', conclusion, report, resolve)
        else resolve(E.right(came === 'lost' ? 'lost' : cameTo))
      },
      failed: (message, isOurs) => {
        if (isOurs) parkAlone(orderRef, token, message, conclusion, report, resolve)
        else resolve(unavailable(message))
      },
    }
  }

  // Without looking at the order: it may be what cannot be read.
  const parkAlone = (
    orderRef: string,
    token: ClaimToken,
    message: string,
    conclusion: Conclusion,
    report: Report | null,
    resolve: (settled: E.Either<Unavailable, Settled>) => void,
  ): void =>
    writes.run({
      orderRef,
      reads: false,
      plan: () =>
        writing(() => {
          const ending = parkedRow(token, message, conclusion, report, vault.known(orderRef))
          return concluding(orderRef, token, ending)
        }),
      written: (came) => resolve(E.right(came === 'lost' ? 'lost' : 'stuck')),
      failed: (failure) => resolve(unavailable(failure)),
    })

  const giveBack = (orderRef: string, token: string, as: ReleasedAs): Promise<E.Either<Unavailable, void>> => {
    const held = readToken(token)
    if (held === null) return Promise.resolve(E.right(undefined))
    return new Promise((resolve) =>
      writes.run({
        orderRef,
        reads: false,
        plan: () => writing(() => concluding(orderRef, held, releasedRow(held, as))),
        written: () => resolve(E.right(undefined)),
        failed: (message) => resolve(unavailable(message)),
      }),
    )
  }

  const giveAllBack = async (
    claims: readonly { readonly orderRef: string; readonly token: string }[],
    as: ReleasedAs,
  ) => {
    const given = await Promise.all(claims.map(({ orderRef, token }) => giveBack(orderRef, token, as)))
    return given.find(E.isLeft) ?? E.right(undefined)
  }

  const parkUnreadable = ({ unreadable }: Claimed): Promise<unknown> =>
    Promise.all(
      unreadable.map(({ orderRef, token, message }) => {
        const held = readToken(token)
        return (
          held &&
          new Promise((resolve) => parkAlone(orderRef, held, message, { type: 'again', dueAt: 0 }, null, resolve))
        )
      }),
    )

  // Whose shopper was forgotten, by another server or a command, is remembered no longer.
  let keyChanges: number | null = null
  const noteKeyChanges = (count: number): void => {
    if (keyChanges !== null && count !== keyChanges) {
      reading.clear()
      vault.clear()
    }
    keyChanges = count
  }

  const claimSoon = async (request: () => ClaimRequest): Promise<readonly Entry[]> => {
    for (let tried = 1; ; tried++) {
      const claimed = await claim(request())
      noteKeyChanges(claimed.keyChanges)
      await parkUnreadable(claimed)
      const returned = await giveAllBack(claimed.overdue, 'begun')
      if (E.isLeft(returned)) throw new Error(returned.left.message)
      if (!claimed.isLate && claimed.overdue.length === 0) return claimed.entries
      if (tried >= CLAIM_TRIES && claimed.overdue.length === 0) return []
      if (claimed.isLate) await new Promise((resolve) => setTimeout(resolve, tried * Math.random()))
    }
  }

  // One after the other: what this node claims itself need not be told it by the database.
  let lastClaim: Promise<unknown> = Promise.resolve()
  const inTurn = <A>(run: () => Promise<A>): Promise<A> => {
    const turn = lastClaim.then(run, run)
    lastClaim = turn.catch(() => {})
    return turn
  }

  const thenTelling: typeof trying = (run) => TE.tapIO(trying(run), () => handing.tell)

  const nextDue = async (): Promise<NextDue> => {
    const [row] = await query<NextDue>(NEXT_DUE)
    return row ?? { work: null, event: null, ipn: null, stuck: 0 }
  }

  return {
    place: (step, payload) => place(step, payload),

    read: (orderRef) =>
      trying(async (): Promise<E.Either<OrderUnknown, Order>> => {
        const read = await reading.read(orderRef)
        return read === undefined ? E.left(unknown) : E.right(read.order)
      }),

    journal: (orderRef) =>
      trying(async (): Promise<E.Either<OrderUnknown, readonly JournalLine[]>> => {
        if ((await reading.read(orderRef)) === undefined) return E.left(unknown)
        const rows = await query<LineRow>(JOURNAL, orderRef)
        return E.right(
          rows.map(({ seq, at, event, detail, from_state, to_state, input, ...key }) => ({
            seq,
            at,
            event,
            detail,
            from: stateOf(from_state),
            to: stateOf(to_state),
            input:
              input &&
              (JSON.parse(vault.open(vault.keyFrom(orderRef, key), placeOfInput(seq), input)) as JournalLine['input']),
          })),
        )
      }),

    findHolder: (merchantRef, orderRef1) =>
      trying(async (): Promise<E.Either<OrderUnknown, Order>> => {
        const [holder] = await query<{ order_ref: string }>(HOLDER, merchantRef, referenceText(orderRef1))
        const read = holder && (await reading.read(holder.order_ref))
        return read === undefined ? E.left(unknown) : E.right(read.order)
      }),

    step:
      <E, A>(orderRef: string, decide: Decide<E, A>) =>
      () =>
        new Promise<E.Either<E | OrderUnknown | ReferenceTaken | Unavailable, A>>((resolve) => {
          const answering = (given: E.Either<E | OrderUnknown, A>): Plan => ({
            type: 'answer',
            answer: () => resolve(given),
          })
          let answer: () => A
          let reference: string | null = null
          writes.run({
            orderRef,
            reads: true,
            plan: (read, referenceIsTaken) => {
              if (read === undefined) return answering(E.left(unknown))
              const decided = decide(read.order, referenceIsTaken)
              if (E.isLeft(decided)) return answering(decided)
              const { step } = decided.right
              answer = () => decided.right.answer
              reference = step.reference
              if (isStill(step)) return answering(E.right(answer()))
              return writing(() => stepping(step, read))
            },
            written: (came) =>
              resolve(
                came === 'done' ? E.right(answer()) : E.left({ _tag: 'ReferenceTaken', reference: reference ?? '' }),
              ),
            failed: (message) => resolve(unavailable(message)),
          })
        }),

    handOver: handing.handOver,

    claim: (request) => trying(async () => E.right(await inTurn(() => claimSoon(request)))),

    settle:
      ({ orderRef, token }, conclusion, decide, report) =>
      () =>
        new Promise((resolve) => {
          const held = readToken(token)
          if (held === null) resolve(E.right('lost'))
          else writes.run(settleJob(orderRef, held, conclusion, decide, report, resolve))
        }),

    release: (claimed, as) => () => giveAllBack(claimed, as),

    nextDueAt: () =>
      trying(async () => {
        const { work, event, ipn } = await nextDue()
        return E.right(earliest([work, event, ipn]))
      }),

    backlog: () =>
      trying(async (): Promise<E.Either<never, Backlog>> => {
        const { stuck, ...nextDueAt } = await nextDue()
        return E.right({ nextDueAt, stuck })
      }),

    stuck: () =>
      trying(async () => {
        const rows = await query<StuckRow>(STUCK)
        return E.right(
          rows.map(({ order_ref, id, revision, lane, message, ...key }): StuckEntry => {
            const isSealed = message[0] === 1
            return {
              key: effectKey(order_ref, revision, lane),
              orderRef: order_ref,
              message: isSealed
                ? vault.open(vault.keyFrom(order_ref, key), placeOfMessage(id), message)
                : message.toString(),
            }
          }),
        )
      }),

    unpark: (key, at) =>
      thenTelling((): Promise<E.Either<EntryUnknown, void>> => {
        const { orderRef, revision, lane } = effectKeyParts(key)
        if (!isUuid(orderRef)) return Promise.resolve(E.left(entryUnknown))
        return transaction(async (run) => {
          await run(LOCK, orderRef)
          const released = await run(UNPARK, orderRef, revision, lane, at)
          return released.length === 0 ? E.left(entryUnknown) : E.right(undefined)
        })
      }),

    deliveries: postgresDeliveries(connection, vault, thenTelling),
    orders: postgresOrders(connection, reading),
    retention: postgresRetention(connection),
    close: writes.close,
  }
}
