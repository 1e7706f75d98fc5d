// Resends deliveries in PostgreSQL: a single one, or all that a merchant has not accepted since an
// instant.
import type { Deliveries, DeliveryErased, DeliveryNotFound, ManualTrigger } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { deliveryErased, isRecoverableRow, selectRecoverable } from '../../sql/delivery-view.ts'
import { type Connection, statement } from '../connection/connection.ts'
import {
  columnsOf,
  createDeliveryFinder,
  type DeliveryRow,
  IS_DELIVERY,
  UNDELIVERED,
} from '../queries/delivery-rows.ts'
import type { runOrUnavailable } from '../unavailable.ts'

type DeliveryKey = Pick<DeliveryRow, 'order_id' | 'id'>
type LockedDelivery = DeliveryKey & Pick<DeliveryRow, 'state'>
type Candidate = LockedDelivery & { readonly tried_at: number }

const CANDIDATES = statement('deliveries-recoverable')`
  select b.order_id, b.id, b.state, coalesce(
      (select a.started_at from plazo.attempts a
        where a.order_id = b.order_id and a.delivery_id = b.id order by a.n desc limit 1), b.made_at) as tried_at
  from ${UNDELIVERED} where ${IS_DELIVERY} and b.id > $2 and b.work is not null order by b.id limit $3`

// Locks the orders always in the same sequence, so that two of these statements cannot deadlock.
const LOCK = statement('deliveries-lock')`
  with locked_orders as materialized (
    select id from plazo.orders where id = any ($1::bigint[]) order by id for update)
  update plazo.orders o set version = version + 1 from locked_orders l where o.id = l.id`

// Reads the deliveries again under the lock: since the first read, one may have been answered or
// revoked.
const READ_LOCKED = statement('deliveries-read-locked')`
  select b.order_id, b.id, b.state from unnest($1::bigint[], $2::bigint[]) as d(order_id, id)
  join plazo.outbox b on b.order_id = d.order_id and b.id = d.id where b.work is not null`

// An unfinished delivery is due now, and so is the pending one in its lane. The schedule continues
// unchanged.
const EXPEDITE = statement('deliveries-expedite')`
  with unfinished_deliveries as materialized (
    select b.order_id, b.id, b.lane from unnest($1::bigint[], $2::bigint[]) as d(order_id, id)
    join plazo.outbox b on b.order_id = d.order_id and b.id = d.id
    where b.state in ('queued', 'pending', 'claimed'))
  update plazo.outbox b set
    due_at = case when a.is_chosen or b.state = 'pending' then least(b.due_at, $3) else b.due_at end,
    cause = case when a.is_chosen then coalesce(b.cause, $4) else b.cause end
  from (
    select o.order_id, o.id, bool_or(o.id = a.id) as is_chosen
    from unfinished_deliveries a join plazo.outbox o on o.order_id = a.order_id and o.lane = a.lane
    where o.state in ('queued', 'pending', 'claimed') group by o.order_id, o.id) a
  where b.order_id = a.order_id and b.id = a.id`

// A finished delivery is sent once more, outside its lane and schedule.
const INSERT_RESENDS = statement('deliveries-resend')`
  insert into plazo.outbox (
    order_id, revision, queue, merchant, account, event, work, state, due_at, first_at, made_at, cause, resend_of)
  select b.order_id, b.revision, b.queue, b.merchant, coalesce(b.account, b.merchant), b.event, b.work, 'pending', $3, b.first_at, $3,
    $4, b.id
  from unnest($1::bigint[], $2::bigint[]) as d(order_id, id)
  join plazo.outbox b on b.order_id = d.order_id and b.id = d.id
  where b.state not in ('queued', 'pending', 'claimed') and b.work is not null order by b.id
  on conflict do nothing`

/**
 * `runAndNotify`: like `runOrUnavailable`. On success it also reports that something may be due at
 * once.
 */
export const createResend = (
  { query, transaction }: Connection,
  runAndNotify: typeof runOrUnavailable,
): Pick<Deliveries, 'resend' | 'recover'> => {
  const findRow = createDeliveryFinder(query)

  /** Returns how many of them matched `isEligible`. */
  const resendAll = (
    candidates: readonly DeliveryKey[],
    isEligible: (row: Pick<DeliveryRow, 'state'>) => boolean,
    by: ManualTrigger,
    at: number,
  ): Promise<number> =>
    transaction(async (run) => {
      const [orderIds, ids] = columnsOf(candidates)
      await run(LOCK, orderIds)
      const matching = (await run<LockedDelivery>(READ_LOCKED, orderIds, ids)).filter(isEligible)
      await run(EXPEDITE, ...columnsOf(matching), at, by)
      await run(INSERT_RESENDS, ...columnsOf(matching), at, by)
      return matching.length
    })

  return {
    resend: (merchantRef, id, at) =>
      runAndNotify(async (): Promise<E.Either<DeliveryNotFound | DeliveryErased, void>> => {
        const row = await findRow(merchantRef, id)
        if (E.isLeft(row)) return row
        if (row.right.is_erased) return E.left(deliveryErased)
        await resendAll([row.right], () => true, 'resend', at)
        return E.right(undefined)
      }),

    recover: (request) =>
      runAndNotify(async () => {
        const { merchantRef, after, limit, at } = request
        const rows = await query<Candidate>(CANDIDATES, merchantRef, after, limit)
        const { matching, next } = selectRecoverable(rows, request)
        const count =
          matching.length === 0 ? 0 : await resendAll(matching, isRecoverableRow, 'recover', at)
        return E.right({ count, next })
      }),
  }
}
