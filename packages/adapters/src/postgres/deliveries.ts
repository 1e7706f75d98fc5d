// Deliveries in PostgreSQL: seen with their attempts, and sent again.
import {
  type AskedTrigger,
  type Attempt,
  type Deliveries,
  type Delivery,
  type DeliveryForgotten,
  type DeliveryUnknown,
  effectKey,
  effectKeyParts,
  isRecovered,
  type Outcome,
  type Trigger,
} from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { BESIDE } from '../rows/beside.ts'
import { deliveryForgotten, deliveryState, type StoredState, storedAs } from '../rows/delivery-state.ts'
import { placeOfResponse } from '../rows/places.ts'
import { type Connection, isUuid, type Statement, trying } from './connection.ts'
import type { KeyColumns, Vault } from './vault.ts'

type DeliveryRow = {
  readonly order_ref: string
  readonly id: number
  readonly revision: number
  readonly lane: string
  readonly event: Delivery['event']
  readonly state: StoredState
  readonly due_at: number
  readonly is_forgotten: boolean
}

type LookedAt = Pick<DeliveryRow, 'order_ref' | 'id' | 'lane' | 'state'> & { readonly tried_at: number }

type AttemptRow = {
  readonly order_ref: string
  readonly delivery_id: number
  readonly n: number
  readonly cause: Trigger
  readonly started_at: number
  readonly outcome: Outcome | null
  readonly duration: number | null
  readonly status: number | null
  readonly error: string | null
  readonly response: Buffer | null
} & KeyColumns

const DELIVERY = `b.class <> 'work' and b.resend_of is null`

// Each kind is found where it stands: in outbox_due, outbox_claimed and outbox_unaccepted, or outbox_ended_of_merchant.
const DUE_OR_CLAIMED = `
  select * from plazo.outbox where state = 'pending' and class in ('event', 'ipn') and queue = $1
  union all
  select * from plazo.outbox where state = 'claimed' and class in ('event', 'ipn') and queue = $1`

const UNDELIVERED = `(${DUE_OR_CLAIMED}
  union all
  select * from plazo.outbox
  where class <> 'work' and state in ('queued', 'exhausted', 'stopped', 'unsupported', 'stuck') and queue = $1) b`

const COLUMNS = `
  b.order_ref, b.id, b.revision, b.lane, b.event, b.state, b.due_at, b.work is null as is_forgotten`

const NEWEST_FIRST = 'order by b.id desc limit $4'

// Word for word the condition of the index outbox_ended_of_merchant.
const ended = (where: string): string => `(
  select * from plazo.outbox b
  where class <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck') and queue = $1
    and ${where} and b.id < $2 ${NEWEST_FIRST}) b`

const ANY = `(${DUE_OR_CLAIMED}
  union all
  select * from plazo.outbox where class <> 'work' and state = 'queued' and queue = $1
  union all
  select * from ${ended('true')}) b`

const listed = (name: string, from: string, where: string): Statement => ({
  name: `deliveries-${name}`,
  text: `select ${COLUMNS} from ${from} where ${DELIVERY} and ${where} and b.id < $2 and b.state = any ($3::text[]) ${NEWEST_FIRST}`,
})

export const OF_MERCHANT = listed('of-merchant', ANY, 'true')
const DELIVERED = listed('delivered', ended(`state || '' = 'delivered'`), 'true')
const NOT_DELIVERED = listed('not-delivered', UNDELIVERED, 'true')
const OF_ORDER = listed('of-order', 'plazo.outbox b', 'b.queue = $1 and b.order_ref = $5')

const ONE: Statement = {
  name: 'deliveries-one',
  text: `
    select ${COLUMNS} from plazo.outbox b
    where ${DELIVERY} and b.order_ref = $1 and b.queue = $2 and b.revision = $3 and b.lane = $4`,
}

const ATTEMPTS: Statement = {
  name: 'deliveries-attempts',
  text: `
    with wanted as materialized (select * from unnest($1::uuid[], $2::bigint[]) as d(order_ref, id)),
    made as (
      select a.order_ref, a.delivery_id, a.n, a.cause, a.started_at, a.outcome, a.duration, a.status, a.error, a.response
      from wanted d join plazo.attempts a on a.order_ref = d.order_ref and a.delivery_id = d.id
      union all
      select b.order_ref, d.id, b.attempt, b.started_by, b.started_at, null, null, null, null, null
      from wanted d join plazo.outbox b on b.order_ref = d.order_ref and coalesce(b.resend_of, b.id) = d.id
      where b.state || '' = 'claimed' and b.started_at is not null)
    select m.*, k.key_id, k.tag, k.sealed
    from made m join plazo.data_keys k on k.order_ref = m.order_ref order by m.n`,
}

const LOOKED_AT: Statement = {
  name: 'deliveries-looked-at',
  text: `
    select b.order_ref, b.id, b.lane, b.state, coalesce(
        (select max(s.started_at) from plazo.outbox s
          where s.order_ref = b.order_ref and coalesce(s.resend_of, s.id) = b.id and s.state || '' = 'claimed'),
        (select a.started_at from plazo.attempts a
          where a.order_ref = b.order_ref and a.delivery_id = b.id order by a.n desc limit 1), b.made_at) as tried_at
    from ${UNDELIVERED} where ${DELIVERY} and b.id > $2 and b.work is not null order by b.id limit $3`,
}

// Orders in one order, so that no two that do this wait for each other.
const LOCK: Statement = {
  name: 'deliveries-lock',
  text: `
    with locked as materialized (
      select order_ref from plazo.orders where order_ref = any ($1::uuid[]) order by order_ref for update)
    update plazo.orders o set version = version + 1 from locked l where o.order_ref = l.order_ref`,
}

// What is still to be sent: now, and what its lane holds before it; its schedule goes on as it was.
const ASK: Statement = {
  name: 'deliveries-ask',
  text: `
    with asked as materialized (
      select b.order_ref, b.id, b.lane from unnest($1::uuid[], $2::bigint[]) as d(order_ref, id)
      join plazo.outbox b on b.order_ref = d.order_ref and b.id = d.id
      where b.state in ('queued', 'pending', 'claimed'))
    update plazo.outbox b set
      due_at = case when a.is_asked or b.state = 'pending' then least(b.due_at, $3) else b.due_at end,
      cause = case when a.is_asked then coalesce(b.cause, $4) else b.cause end
    from (
      select o.order_ref, o.id, bool_or(o.id = a.id) as is_asked
      from asked a join plazo.outbox o on o.order_ref = a.order_ref and o.lane = a.lane
      where o.state in ('queued', 'pending', 'claimed') group by o.order_ref, o.id) a
    where b.order_ref = a.order_ref and b.id = a.id`,
}

// What has ended: once more, beside lane and schedule.
const SEND_BESIDE: Statement = {
  name: 'deliveries-send-beside',
  text: `
    insert into plazo.outbox (
      order_ref, revision, lane, class, queue, event, work, state, due_at, first_at, made_at, cause, resend_of)
    select b.order_ref, b.revision, '${BESIDE}' || b.lane, b.class, b.queue, b.event, b.work, 'pending', $3, b.first_at,
      $3, $4, b.id
    from unnest($1::uuid[], $2::bigint[]) as d(order_ref, id)
    join plazo.outbox b on b.order_ref = d.order_ref and b.id = d.id
    where b.state not in ('queued', 'pending', 'claimed') and b.work is not null order by b.id
    on conflict do nothing`,
}

const unknown: DeliveryUnknown = { _tag: 'DeliveryUnknown' }

/** `thenTelling`: tries it, and tells that something may be due at once. */
export const postgresDeliveries = (
  { query, transaction }: Connection,
  vault: Vault,
  thenTelling: typeof trying,
): Deliveries => {
  const attemptOf = (row: AttemptRow): Attempt => {
    const { order_ref, delivery_id, n, cause, started_at, outcome, duration, status, error, response } = row
    const open = (blob: Buffer): string =>
      vault.open(vault.keyFrom(order_ref, row), placeOfResponse(delivery_id, n), blob)
    return {
      n,
      trigger: cause,
      startedAt: started_at,
      outcome,
      durationMillis: duration,
      status,
      error,
      response: response === null ? null : response.length === 0 ? '' : open(response),
    }
  }

  const deliveriesOf = async (rows: readonly DeliveryRow[]): Promise<readonly Delivery[]> => {
    const refs = rows.map(({ order_ref }) => order_ref)
    const ids = rows.map(({ id }) => id)
    const attempts = rows.length === 0 ? [] : await query<AttemptRow>(ATTEMPTS, refs, ids)
    const made = Map.groupBy(attempts, ({ delivery_id }) => delivery_id)
    return rows.map((row) => {
      const state = deliveryState(row.state)
      return {
        id: effectKey(row.order_ref, row.revision, row.lane),
        event: row.event,
        orderRef: row.order_ref,
        state,
        dueAt: state === 'pending' ? row.due_at : null,
        attempts: (made.get(row.id) ?? []).map(attemptOf),
      }
    })
  }

  const rowOf = async (
    run: typeof query,
    merchantRef: string,
    key: string,
  ): Promise<E.Either<DeliveryUnknown, DeliveryRow>> => {
    const { orderRef, revision, lane } = effectKeyParts(key)
    if (!isUuid(orderRef) || revision > 2 ** 31 - 1) return E.left(unknown)
    const [row] = await run<DeliveryRow>(ONE, orderRef, merchantRef, revision, lane)
    return row === undefined ? E.left(unknown) : E.right(row)
  }

  const sendAgain = (rows: readonly Pick<DeliveryRow, 'order_ref' | 'id'>[], by: AskedTrigger, at: number) =>
    transaction(async (run) => {
      const refs = rows.map(({ order_ref }) => order_ref)
      const ids = rows.map(({ id }) => id)
      await run(LOCK, refs)
      await run(ASK, refs, ids, at, by)
      await run(SEND_BESIDE, refs, ids, at, by)
    })

  return {
    list: ({ merchantRef, orderRef, state, before, limit }) =>
      trying(async (): Promise<E.Either<DeliveryUnknown, readonly Delivery[]>> => {
        const cursor =
          before === null ? E.right({ id: Number.MAX_SAFE_INTEGER }) : await rowOf(query, merchantRef, before)
        if (E.isLeft(cursor)) return cursor
        if (orderRef !== null && !isUuid(orderRef)) return E.right([])
        const values = [merchantRef, cursor.right.id, storedAs(state), limit]
        const rows =
          orderRef !== null
            ? await query<DeliveryRow>(OF_ORDER, ...values, orderRef)
            : await query<DeliveryRow>(
                state === null ? OF_MERCHANT : state === 'delivered' ? DELIVERED : NOT_DELIVERED,
                ...values,
              )
        return E.right(await deliveriesOf(rows.toReversed()))
      }),

    find: (merchantRef, id) =>
      trying(async (): Promise<E.Either<DeliveryUnknown, Delivery>> => {
        const row = await rowOf(query, merchantRef, id)
        if (E.isLeft(row)) return row
        const [delivery] = await deliveriesOf([row.right])
        return delivery === undefined ? E.left(unknown) : E.right(delivery)
      }),

    resend: (merchantRef, id, at) =>
      thenTelling(async (): Promise<E.Either<DeliveryUnknown | DeliveryForgotten, void>> => {
        const row = await rowOf(query, merchantRef, id)
        if (E.isLeft(row)) return row
        if (row.right.is_forgotten) return E.left(deliveryForgotten)
        await sendAgain([row.right], 'resend', at)
        return E.right(undefined)
      }),

    recover: ({ merchantRef, since, at, after, limit }) =>
      thenTelling(async () => {
        const rows = await query<LookedAt>(LOOKED_AT, merchantRef, after, limit)
        const wanted = rows.filter(
          ({ state, tried_at }) => isRecovered(deliveryState(state)) && tried_at >= since && tried_at <= at,
        )
        if (wanted.length > 0) await sendAgain(wanted, 'recover', at)
        const last = rows.at(-1)
        return E.right({ count: wanted.length, next: rows.length < limit || last === undefined ? null : last.id })
      }),
  }
}
