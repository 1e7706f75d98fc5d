// Deletes old, finished deliveries and journals in small batches, which share commits with other
// background work. Rows are read in the order in which they were written, which is also their age.
// So a pass that finds nothing reads almost nothing.
import { decodeState, isOverBy } from '@plazo/core/ports'
import { selectRetentionBatch } from '../../sql/retention-batch.ts'
import { UNFINISHED } from '../queries/due-jobs.ts'
import { JOURNAL_LINES } from '../queries/journal.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'

type DeliveryAge = {
  readonly id: number
  readonly made_at: number
  readonly tried_at: number
  readonly attempts: number
  readonly may_go: number
}

type JournalAge = { readonly order_id: number; readonly began_at: number }
type LastLine = { readonly at: number; readonly to_state: string; readonly is_busy: number }

/** Drops old deliveries and journals, inside the caller's transaction. */
export const createRetention = (
  db: Database,
): Pick<Commands, 'dropDeliveries' | 'dropJournals'> => {
  const deliveries = db.prepare<[number, number], DeliveryAge>(`
    select b.id, b.made_at,
      coalesce((select max(a.started_at) from attempts a where a.delivery_id = b.id), b.made_at) as tried_at,
      (select count(*) from attempts a where a.delivery_id = b.id) as attempts,
      b.state in ('delivered', 'exhausted', 'stopped', 'unsupported')
        and not exists (select 1 from outbox s where s.resend_of = b.id) as may_go
    from outbox b where b.id > ? and b.queue <> 'work' and b.resend_of is null order by b.id limit ?`)
  const dropAttempts = db.prepare('delete from attempts where delivery_id = ?')
  const dropDelivery = db.prepare('delete from outbox where id = ?')
  // Once its first lines were deleted, a journal's start says nothing about the age of later
  // orders.
  const nextJournal = db.prepare<[number], JournalAge>(`
    select order_id, iif(seq = 1, at, 0) as began_at from journal where previous is null and order_id > ?
    order by order_id limit 1`)
  const lastLine = db.prepare<[number], LastLine>(`
    select j.at, j.to_state,
      exists (select 1 from outbox b where b.order_id = o.id and b.${UNFINISHED})
        or exists (select 1 from outbox b where b.order_id = o.id and b.state = 'stuck') as is_busy
    from orders o join journal j on j.id = o.last_line where o.id = ?`)
  const dropLines = db.prepare(
    `${JOURNAL_LINES} delete from journal where id in (select id from lines)`,
  )
  const dropLastLine = db.prepare('update orders set last_line = null where id = ?')

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

    dropJournals: ({ before, after, rows, over }) => {
      let count = 0
      let deleted = 0
      let orderId = after
      for (let read = 0; read < rows && deleted < rows; read += 1) {
        const journal = nextJournal.get(orderId)
        if (journal === undefined || journal.began_at >= before) return { count, next: null }
        orderId = journal.order_id
        const last = lastLine.get(orderId)
        if (
          last !== undefined &&
          last.at < before &&
          last.is_busy === 0 &&
          isOverBy(over, decodeState(last.to_state))
        ) {
          deleted += dropLines.run(orderId).changes
          dropLastLine.run(orderId)
          count += 1
        }
      }
      return { count, next: orderId }
    },
  }
}
