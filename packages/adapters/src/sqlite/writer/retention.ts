// Deletes old, finished deliveries in small batches, which share commits with other
// background work. Rows are read in the order in which they were written, which is also their age.
// So a pass that finds nothing reads almost nothing.
import { selectRetentionBatch } from '../../sql/retention-batch.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

type DeliveryAge = {
  readonly id: number
  readonly made_at: number
  readonly tried_at: number
  readonly attempts: number
  readonly may_go: number
}

/** Drops old deliveries, inside the caller's transaction. */
export const createRetention = (db: Database): Pick<Commands, 'dropDeliveries'> => {
  const deliveries = db.prepare<[number, number], DeliveryAge>(`
    select b.id, b.made_at,
      coalesce((select max(a.started_at) from attempts a where a.delivery_id = b.id), b.made_at) as tried_at,
      (select count(*) from attempts a where a.delivery_id = b.id) as attempts,
      b.state in ('delivered', 'exhausted', 'stopped', 'unsupported')
        and not exists (select 1 from outbox s where s.resend_of = b.id) as may_go
    from outbox b where b.id > ? and b.queue <> 'work' and b.resend_of is null order by b.id limit ?`)
  const dropAttempts = db.prepare('delete from attempts where delivery_id = ?')
  const dropDelivery = db.prepare('delete from outbox where id = ?')

  return {
    dropDeliveries: (request) => {
      const candidates = deliveries.all(request.after, request.rows)
      const { old, next } = selectRetentionBatch(
        candidates,
        request,
        ({ id, made_at, tried_at, attempts, may_go }) => ({
          number: id,
          beganAt: made_at,
          deletes: may_go === 1 && tried_at < request.before ? 1 + attempts : 0,
        }),
      )
      for (const { id } of old) {
        dropAttempts.run(id)
        dropDelivery.run(id)
      }
      return { count: old.length, next }
    },
  }
}
