// Deletes old deliveries from PostgreSQL in small statements. It visits rows in the
// order in which they were written, which is also the order in which they grow old. So a pass that
// finds nothing reads almost nothing.
import type { Retention } from '@plazo/core/ports'
import { selectRetentionBatch } from '../../sql/retention-batch.ts'
import { type Connection, statement } from '../connection/connection.ts'
import { columnsOf } from '../sql/values.ts'
import { answerOrUnavailable } from '../unavailable.ts'

type DeliveryAge = {
  readonly order_id: number
  readonly id: number
  readonly made_at: number
  readonly tried_at: number
  readonly attempts: number
  readonly may_go: boolean
}

// It selects a row with a limit, so that each delivery is looked up. With `exists`, the planner
// would make one list for all.
const RESEND = `(
  select true from plazo.outbox s where s.order_id = b.order_id and s.resend_of = b.id limit 1)`

// Reads in the order of the index outbox_ended.
export const DELIVERIES = statement('retention-deliveries')`
  select b.order_id, b.id, b.made_at,
    coalesce((select max(a.started_at) from plazo.attempts a
      where a.order_id = b.order_id and a.delivery_id = b.id), b.made_at) as tried_at,
    (select count(*)::integer from plazo.attempts a
      where a.order_id = b.order_id and a.delivery_id = b.id) as attempts,
    ${RESEND} is null as may_go
  from plazo.outbox b
  where b.id > $1 and b.queue <> 'work' and b.state in ('delivered', 'exhausted', 'stopped', 'unsupported')
  order by b.id limit $2`

// A resend may have been requested since the delivery was read. If it came before this statement's
// snapshot, the rows show it. If it came between the snapshot and the lock, the order's version
// shows it.
const DROP_DELIVERIES = statement('retention-drop-deliveries')`
  with read_deliveries as materialized (
    select o.order_id, o.id, n.version from unnest($1::bigint[], $2::bigint[]) as o(order_id, id)
    join plazo.orders n on n.id = o.order_id),
  old_deliveries as materialized (
    select b.order_id, b.id from read_deliveries s
    join plazo.outbox b on b.order_id = s.order_id and b.id = s.id
    join plazo.orders n on n.id = s.order_id and n.version = s.version
    where b.state in ('delivered', 'exhausted', 'stopped', 'unsupported') and ${RESEND} is null
    for update of n, b skip locked),
  attempts as (
    delete from plazo.attempts a using old_deliveries d where a.order_id = d.order_id and a.delivery_id = d.id)
  delete from plazo.outbox b using old_deliveries d where b.order_id = d.order_id and b.id = d.id returning b.id`

export const postgresRetention = ({ query }: Pick<Connection, 'query'>): Retention => ({
  dropDeliveries: (request) =>
    answerOrUnavailable(async () => {
      const candidates = await query<DeliveryAge>(DELIVERIES, request.after, request.rows)
      const { old, next } = selectRetentionBatch(
        candidates,
        request,
        ({ id, made_at, tried_at, attempts, may_go }) => ({
          number: id,
          beganAt: made_at,
          deletes: may_go && tried_at < request.before ? 1 + attempts : 0,
        }),
      )
      if (old.length === 0) return { count: 0, next }
      return { count: (await query(DROP_DELIVERIES, ...columnsOf(old))).length, next }
    }),
})
