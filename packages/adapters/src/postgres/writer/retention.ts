// Deletes old deliveries and journals from PostgreSQL in small statements. It visits rows in the
// order in which they were written, which is also the order in which they grow old. So a pass that
// finds nothing reads almost nothing.
import {
  type DropRequest,
  decodeState,
  isOverBy,
  modelOf,
  overStates,
  type Retention,
} from '@plazo/core/ports'
import { type RowAge, selectRetentionBatch } from '../../sql/retention-batch.ts'
import { type Connection, type Statement, statement } from '../connection/connection.ts'
import { columnsOf } from '../queries/delivery-rows.ts'
import { answerOrUnavailable } from '../unavailable.ts'

type DeliveryAge = {
  readonly order_ref: string
  readonly id: number
  readonly made_at: number
  readonly tried_at: number
  readonly attempts: number
  readonly may_go: boolean
}

// It selects a row with a limit, so that each delivery is looked up. With `exists`, the planner
// would make one list for all.
const RESEND = `(
  select true from plazo.outbox s where s.order_ref = b.order_ref and s.resend_of = b.id limit 1)`

// Reads in the order of the index outbox_ended.
export const DELIVERIES = statement('retention-deliveries')`
  select b.order_ref, b.id, b.made_at,
    coalesce((select max(a.started_at) from plazo.attempts a
      where a.order_ref = b.order_ref and a.delivery_id = b.id), b.made_at) as tried_at,
    (select count(*)::integer from plazo.attempts a
      where a.order_ref = b.order_ref and a.delivery_id = b.id) as attempts,
    ${RESEND} is null as may_go
  from plazo.outbox b
  where b.id > $1 and b.queue <> 'work' and b.state in ('delivered', 'exhausted', 'stopped', 'unsupported')
  order by b.id limit $2`

// A resend may have been requested since the delivery was read. If it came before this statement's
// snapshot, the rows show it. If it came between the snapshot and the lock, the order's version
// shows it.
const DROP_DELIVERIES = statement('retention-drop-deliveries')`
  with read_deliveries as materialized (
    select o.order_ref, o.id, n.version from unnest($1::uuid[], $2::bigint[]) as o(order_ref, id)
    join plazo.orders n on n.order_ref = o.order_ref),
  old_deliveries as materialized (
    select b.order_ref, b.id from read_deliveries s
    join plazo.outbox b on b.order_ref = s.order_ref and b.id = s.id
    join plazo.orders n on n.order_ref = s.order_ref and n.version = s.version
    where b.state in ('delivered', 'exhausted', 'stopped', 'unsupported') and ${RESEND} is null
    for update of n, b skip locked),
  attempts as (
    delete from plazo.attempts a using old_deliveries d where a.order_ref = d.order_ref and a.delivery_id = d.id)
  delete from plazo.outbox b using old_deliveries d where b.order_ref = d.order_ref and b.id = d.id returning b.id`

type JournalAge = {
  readonly order_ref: string
  readonly number: number
  readonly version: number
  readonly began_at: number
  readonly at: number
  readonly to_state: string
  readonly lines: number
  readonly is_busy: boolean
}

// Orders are numbered as they are placed, so their journals grow old in that order. The exception
// is a journal whose first lines were deleted: it starts late. Its start counts as 0, so that it
// does not end the pass.
export const JOURNALS = statement('retention-journals')`
  select o.order_ref, o.number, o.version, case when f.seq = 1 then f.at else 0 end as began_at, l.at, l.to_state,
    l.seq - f.seq + 1 as lines, (
      select true from plazo.outbox b
      where b.order_ref = o.order_ref and b.state || '' in ('queued', 'pending', 'claimed', 'stuck') limit 1) is not null as is_busy
  from (
    select order_ref, number, version from plazo.orders where has_journal and number > $1 order by number limit $2) o
  cross join lateral (
    select j.at, j.seq from plazo.journal j where j.order_ref = o.order_ref order by j.seq limit 1) f
  cross join lateral (
    select j.at, j.to_state, j.seq from plazo.journal j
    where j.order_ref = o.order_ref order by j.seq desc limit 1) l
  order by o.number`

// Any step or new effect of the order since it was read shows in its version.
const DROP_JOURNALS = statement('retention-drop-journals')`
  with old_orders as materialized (
    select o.order_ref from unnest($1::uuid[], $2::integer[]) as d(order_ref, version)
    join plazo.orders o on o.order_ref = d.order_ref
    where o.has_journal and o.version = d.version order by o.order_ref for update of o skip locked),
  updated_orders as (
    update plazo.orders o set has_journal = false from old_orders d where o.order_ref = d.order_ref),
  deleted_lines as (delete from plazo.journal j using old_orders d where j.order_ref = d.order_ref)
  select order_ref from old_orders`

export const postgresRetention = (
  { query }: Pick<Connection, 'query'>,
  model = modelOf({}),
): Retention => {
  const over = overStates(model)
  const dropBatch = <Row>(
    request: DropRequest,
    read: Statement,
    ageOf: (row: Row) => RowAge,
    drop: (old: readonly Row[]) => Promise<readonly unknown[]>,
  ) =>
    answerOrUnavailable(async () => {
      const candidates = await query<Row>(read, request.after, request.rows)
      const { old, next } = selectRetentionBatch(candidates, request, ageOf)
      return { count: old.length === 0 ? 0 : (await drop(old)).length, next }
    })

  return {
    dropDeliveries: (request) =>
      dropBatch<DeliveryAge>(
        request,
        DELIVERIES,
        ({ id, made_at, tried_at, attempts, may_go }) => ({
          number: id,
          beganAt: made_at,
          deletes: may_go && tried_at < request.before ? 1 + attempts : 0,
        }),
        (old) => query(DROP_DELIVERIES, ...columnsOf(old)),
      ),

    dropJournals: (request) =>
      dropBatch<JournalAge>(
        request,
        JOURNALS,
        ({ number, began_at, at, to_state, lines, is_busy }) => ({
          number,
          beganAt: began_at,
          deletes:
            at < request.before && !is_busy && isOverBy(over, decodeState(to_state)) ? lines : 0,
        }),
        (old) =>
          query(
            DROP_JOURNALS,
            old.map(({ order_ref }) => order_ref),
            old.map(({ version }) => version),
          ),
      ),
  }
}
