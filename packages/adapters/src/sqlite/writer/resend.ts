// Resends deliveries in SQLite: one by its id, or many at once. Every function here runs inside the
// caller's transaction.
import { effectKeyParts, type ManualTrigger } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import {
  deliveryErased,
  deliveryNotFound,
  publicDeliveryState,
  selectRecoverable,
} from '../../sql/delivery-view.ts'
import {
  type DeliveryRow,
  IS_DELIVERY,
  ONE_DELIVERY,
  UNDELIVERED,
} from '../queries/delivery-rows.ts'
import type { Database } from '../schema/database.ts'
import type { Commands } from './commands.ts'
import type { Outbox } from './outbox.ts'
import { EXPEDITE } from './outbox-statements.ts'

type Candidate = Pick<DeliveryRow, 'id' | 'order_id' | 'lane' | 'state'> & {
  readonly tried_at: number
}

export const createResend = (
  db: Database,
  { noteDue }: Pick<Outbox, 'noteDue'>,
): Pick<Commands, 'resend' | 'recover'> => {
  const one = db.prepare<[string, string, number, string], DeliveryRow>(ONE_DELIVERY)
  const candidates = db.prepare<[{ merchantRef: string }, number, number], Candidate>(
    `select b.id, b.order_id, b.lane, b.state, coalesce(
        (select a.started_at from attempts a where a.delivery_id = b.id order by a.n desc limit 1), b.made_at) as tried_at
      from outbox b where b.${IS_DELIVERY} and ${UNDELIVERED} and b.id > ?
        and b.work is not null order by b.id limit ?`,
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

  const resendDelivery = (
    { id, order_id, lane, state }: Omit<Candidate, 'tried_at'>,
    by: ManualTrigger,
    at: number,
  ): void => {
    if (publicDeliveryState(state) !== 'pending') insertResend.run(at, at, by, id)
    else {
      setCause.run(by, at, id)
      expedite.run(at, order_id, lane)
    }
    noteDue(at)
  }

  return {
    resend: ({ merchantRef, id, at }) => {
      const { orderRef, revision, lane } = effectKeyParts(id)
      const row = one.get(orderRef, merchantRef, revision, lane)
      if (row === undefined) return E.left(deliveryNotFound)
      if (row.is_erased === 1) return E.left(deliveryErased)
      return E.right(resendDelivery(row, 'resend', at))
    },

    recover: (request) => {
      const { merchantRef, after, limit, at } = request
      const { matching, next } = selectRecoverable(
        candidates.all({ merchantRef }, after, limit),
        request,
      )
      for (const row of matching) resendDelivery(row, 'recover', at)
      return { count: matching.length, next }
    },
  }
}
