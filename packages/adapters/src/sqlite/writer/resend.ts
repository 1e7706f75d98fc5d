// Sends deliveries again in SQLite, inside the caller's transaction.
import { isRecoverableRow, publicDeliveryState, type StoredState } from '../../sql/delivery-view.ts'
import type { JobKey } from '../../sql/dialect.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'
import type { Outbox } from './outbox.ts'
import { EXPEDITE } from './outbox-statements.ts'

type DeliveryRow = JobKey & { readonly lane: string; readonly state: StoredState }

export const createResend = (
  db: Database,
  { noteDue }: Pick<Outbox, 'noteDue'>,
): Commands['resend'] => {
  const one = db.prepare<[number], DeliveryRow>(
    'select id, order_id, lane, state from outbox where id = ? and work is not null',
  )
  const setCause = db.prepare(
    `update outbox set cause = coalesce(cause, ?), due_at = min(due_at, ?) where id = ?`,
  )
  const expedite = db.prepare(EXPEDITE)
  const insertResend = db.prepare(`
    insert into outbox (
      order_id, revision, queue, merchant, account, work, event, state, due_at, first_at, made_at, cause, resend_of)
    select order_id, revision, queue, merchant, account, work, event, 'pending', ?, first_at, ?, ?, id
    from outbox where id = ?
    on conflict do nothing`)

  return ({ ids, by, at }) => {
    const rows = ids
      .flatMap((id) => one.get(id) ?? [])
      .filter((row) => by === 'resend' || isRecoverableRow(row))
    for (const { id, order_id, lane, state } of rows)
      if (publicDeliveryState(state) !== 'pending') insertResend.run(at, at, by, id)
      else {
        setCause.run(by, at, id)
        expedite.run(at, order_id, lane)
      }
    noteDue(at)
    return rows.length
  }
}
