// Sends deliveries again in PostgreSQL, and puts stuck jobs back into their lanes. Contract §6, Stuck.
import type { ManualTrigger } from '@plazo/core/ports'
import { isRecoverableRow, type StoredState } from '../../sql/delivery-view.ts'
import type { JobKey } from '../../sql/dialect.ts'
import { type Connection, type Query, statement } from '../connection/connection.ts'
import { columnsOf } from '../sql/values.ts'

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

const RETRY_STUCK = statement('stuck-job-retry')`
  update plazo.outbox b set message = null, due_at = $3, state = case when exists (
      select from plazo.outbox a
      where a.order_id = b.order_id and a.lane = b.lane and a.state in ('queued', 'pending', 'claimed'))
    then 'queued' else 'pending' end
  where b.state = 'stuck' and b.order_id = $1 and b.id = $2 returning b.id`

export const createResend = ({ transaction }: Connection) => {
  const runLocked = <A>(jobs: readonly JobKey[], run: (query: Query) => Promise<A>): Promise<A> =>
    transaction(async (query) => {
      await query(LOCK, columnsOf(jobs)[0])
      return run(query)
    })

  return {
    /** Returns how many were sent again. */
    resend: (jobs: readonly JobKey[], by: ManualTrigger, at: number): Promise<number> =>
      runLocked(jobs, async (query) => {
        const rows = await query<JobKey & { readonly state: StoredState }>(
          READ_LOCKED,
          ...columnsOf(jobs),
        )
        const matching = rows.filter((row) => by === 'resend' || isRecoverableRow(row))
        await query(EXPEDITE, ...columnsOf(matching), at, by)
        await query(INSERT_RESENDS, ...columnsOf(matching), at, by)
        return matching.length
      }),

    /** False: it is not stuck. */
    retryStuckJob: (job: JobKey, at: number): Promise<boolean> =>
      runLocked([job], async (query) => {
        const retried = await query(RETRY_STUCK, job.order_id, job.id, at)
        return retried.length > 0
      }),
  }
}
