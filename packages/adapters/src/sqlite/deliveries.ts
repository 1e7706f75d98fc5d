// Deliveries in SQLite: seen with their attempts, and sent again.

import {
  type AskedTrigger,
  DELIVERY_STATES,
  type Deliveries,
  type Delivery,
  type DeliveryForgotten,
  type DeliveryState,
  type DeliveryUnknown,
  effectKey,
  effectKeyParts,
  isRecovered,
  type Unavailable,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Attempts } from './attempts.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Database } from './database.ts'
import { UNFINISHED } from './due.ts'
import type { HandingOver } from './handing-over.ts'
import { BESIDE } from './outbox.ts'

type StoredState = Exclude<DeliveryState, 'pending'> | 'queued' | 'pending' | 'claimed'

type DeliveryRow = {
  readonly id: number
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly event: Delivery['event']
  readonly state: StoredState
  readonly due_at: number
  readonly is_forgotten: number
}

type LookedAt = Pick<DeliveryRow, 'id' | 'order_id' | 'lane' | 'state'> & { readonly tried_at: number }

// Word for word the condition of the indexes outbox_of_order and outbox_of_merchant.
const DELIVERY = `class <> 'work' and resend_of is null`

// Whatever was not delivered, each kind found where it stands: in outbox_due, outbox_claimed and outbox_unaccepted.
const UNDELIVERED = `b.id in (
  select id from outbox where state = 'pending' and class in ('event', 'ipn') and queue = @merchantRef
  union all
  select id from outbox where state = 'claimed' and class in ('event', 'ipn') and queue = @merchantRef
  union all
  select id from outbox
  where class <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck') and queue = @merchantRef)`

const COLUMNS = `
  select b.id, b.order_id, o.order_ref, b.revision, b.lane, b.event, b.state, b.due_at, b.work is null as is_forgotten
  from outbox b join orders o on o.id = b.order_id`

const IN_STATES = 'b.state in (select value from json_each(?))'

const NEWEST_FIRST = 'order by b.id desc limit ?'

const stateOf = (stored: StoredState): DeliveryState =>
  stored === 'queued' || stored === 'claimed' ? 'pending' : stored

const storedAs = (state: DeliveryState | null): string =>
  JSON.stringify(
    (state === null ? DELIVERY_STATES : [state]).flatMap((each): readonly StoredState[] =>
      each === 'pending' ? ['queued', 'pending', 'claimed'] : [each],
    ),
  )

const unknown: DeliveryUnknown = { _tag: 'DeliveryUnknown' }

const forgotten: DeliveryForgotten = {
  _tag: 'DeliveryForgotten',
  message: 'The order’s shopper was forgotten, and what was sent of him with it: it cannot be sent again.',
}

export const sqliteDeliveries = (
  db: Database,
  queue: CommitQueue,
  attempts: Attempts,
  tell: HandingOver['tell'],
): Deliveries => {
  const ofMerchant = db.prepare<[string, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${DELIVERY} and b.queue = ? and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const undelivered = db.prepare<[{ merchantRef: string }, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${DELIVERY} and ${UNDELIVERED} and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const ofOrder = db.prepare<[string, string, number, string, number], DeliveryRow>(
    `${COLUMNS} where b.${DELIVERY} and b.order_id = (select id from orders where order_ref = ?) and +b.queue = ?
      and b.id < ? and ${IN_STATES} ${NEWEST_FIRST}`,
  )
  const one = db.prepare<[string, string, number, string], DeliveryRow>(
    `${COLUMNS} where b.${DELIVERY} and b.order_id = (select id from orders where order_ref = ?) and +b.queue = ?
      and b.revision = ? and b.lane = ?`,
  )
  const lookedAt = db.prepare<[{ merchantRef: string }, number, number], LookedAt>(
    `select b.id, b.order_id, b.lane, b.state, coalesce(
        (select a.started_at from attempts a where a.delivery_id = b.id order by a.n desc limit 1), b.made_at) as tried_at
      from outbox b where b.${DELIVERY} and ${UNDELIVERED} and b.id > ?
        and b.work is not null order by b.id limit ?`,
  )
  const ask = db.prepare(`update outbox set cause = coalesce(cause, ?), due_at = min(due_at, ?) where id = ?`)
  const hasten = db.prepare(
    `update outbox set due_at = min(due_at, ?) where order_id = ? and lane = ? and ${UNFINISHED} and state = 'pending'`,
  )
  const sendBeside = db.prepare(`
    insert into outbox (order_id, revision, lane, class, queue, work, event, state, due_at, first_at, made_at, cause, resend_of)
    select order_id, revision, '${BESIDE}' || lane, class, queue, work, event, 'pending', ?, first_at, ?, ?, id
    from outbox where id = ?
    on conflict do nothing`)

  const sendAgain = ({ id, order_id, lane, state }: Omit<LookedAt, 'tried_at'>, by: AskedTrigger, at: number): void => {
    if (stateOf(state) !== 'pending') sendBeside.run(at, at, by, id)
    else {
      ask.run(by, at, id)
      hasten.run(at, order_id, lane)
    }
    tell(at)
  }

  const deliveryOf = (row: DeliveryRow): Delivery => {
    const state = stateOf(row.state)
    return {
      id: effectKey(row.order_ref, row.revision, row.lane),
      event: row.event,
      orderRef: row.order_ref,
      state,
      dueAt: state === 'pending' ? row.due_at : null,
      attempts: attempts.of(row.order_id, row.id),
    }
  }

  const rowOf = (merchantRef: string, id: string): E.Either<DeliveryUnknown, DeliveryRow> => {
    const { orderRef, revision, lane } = effectKeyParts(id)
    const row = one.get(orderRef, merchantRef, revision, lane)
    return row === undefined ? E.left(unknown) : E.right(row)
  }

  const reading =
    <Err, A>(read: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
    async () => {
      try {
        return read()
      } catch (cause) {
        return E.left({ _tag: 'Unavailable', message: cause instanceof Error ? cause.message : String(cause) })
      }
    }

  const writing =
    <Err, A>(write: () => E.Either<Err, A>): TaskEither<Err | Unavailable, A> =>
    async () => {
      const committed = await queue.run(write)
      return E.isLeft(committed) ? committed : committed.right
    }

  return {
    list: ({ merchantRef, orderRef, state, before, limit }) =>
      reading(() => {
        const cursor = before === null ? E.right({ id: Number.MAX_SAFE_INTEGER }) : rowOf(merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        const { id } = cursor.right
        const stored = storedAs(state)
        const rows =
          orderRef !== null
            ? ofOrder.all(orderRef, merchantRef, id, stored, limit)
            : state === null || state === 'delivered'
              ? ofMerchant.all(merchantRef, id, stored, limit)
              : undelivered.all({ merchantRef }, id, stored, limit)
        return E.right(rows.toReversed().map(deliveryOf))
      }),

    find: (merchantRef, id) => reading(() => E.map(deliveryOf)(rowOf(merchantRef, id))),

    resend: (merchantRef, id, at) =>
      writing(() => {
        const row = rowOf(merchantRef, id)
        if (E.isLeft(row)) return row
        if (row.right.is_forgotten === 1) return E.left(forgotten)
        return E.right(sendAgain(row.right, 'resend', at))
      }),

    recover: ({ merchantRef, since, at, after, limit }) =>
      writing(() => {
        const rows = lookedAt.all({ merchantRef }, after, limit)
        const wanted = rows.filter(
          ({ state, tried_at }) => isRecovered(stateOf(state)) && tried_at >= since && tried_at <= at,
        )
        for (const row of wanted) sendAgain(row, 'recover', at)
        const last = rows.at(-1)
        return E.right({ count: wanted.length, next: rows.length < limit || last === undefined ? null : last.id })
      }),
  }
}
