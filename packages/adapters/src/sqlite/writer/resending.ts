// Resends deliveries in SQLite: one by its id, or many at once. Every function here runs inside the caller's transaction.
import { type AskedTrigger, type DeliveryNotFound, effectKeyParts, isRecovered } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { BESIDE } from '../../rows/beside.ts'
import { deliveryForgotten, deliveryState } from '../../rows/delivery-state.ts'
import type { Database } from '../database.ts'
import { type DeliveryRow, ONE_DELIVERY, UNDELIVERED, WANTED } from '../delivery-rows.ts'
import type { Calls } from './calls.ts'
import type { MakingDue } from './making-due.ts'
import { HASTEN } from './outbox-statements.ts'

type LookedAt = Pick<DeliveryRow, 'id' | 'order_id' | 'lane' | 'state'> & { readonly tried_at: number }

const unknown: DeliveryNotFound = { _tag: 'DeliveryNotFound' }

export const resending = (db: Database, noteDue: MakingDue['noteDue']): Pick<Calls, 'resend' | 'recover'> => {
  const one = db.prepare<[string, string, number, string], DeliveryRow>(ONE_DELIVERY)
  const lookedAt = db.prepare<[{ merchantRef: string }, number, number], LookedAt>(
    `select b.id, b.order_id, b.lane, b.state, coalesce(
        (select s.started_at from outbox s where s.resend_of = b.id and s.state = 'claimed'),
        iif(b.state = 'claimed', b.started_at, null),
        (select a.started_at from attempts a where a.delivery_id = b.id order by a.n desc limit 1), b.made_at) as tried_at
      from outbox b where b.${WANTED} and ${UNDELIVERED} and b.id > ?
        and b.work is not null order by b.id limit ?`,
  )
  const ask = db.prepare(`update outbox set cause = coalesce(cause, ?), due_at = min(due_at, ?) where id = ?`)
  const hasten = db.prepare(HASTEN)
  const sendBeside = db.prepare(`
    insert into outbox (
      order_id, revision, lane, class, queue, account, work, event, state, due_at, first_at, made_at, cause, resend_of)
    select order_id, revision, '${BESIDE}' || lane, class, queue, account, work, event, 'pending', ?, first_at, ?, ?, id
    from outbox where id = ?
    on conflict do nothing`)

  const sendAgain = ({ id, order_id, lane, state }: Omit<LookedAt, 'tried_at'>, by: AskedTrigger, at: number): void => {
    if (deliveryState(state) !== 'pending') sendBeside.run(at, at, by, id)
    else {
      ask.run(by, at, id)
      hasten.run(at, order_id, lane)
    }
    noteDue(at)
  }

  return {
    resend: ({ merchantRef, id, at }) => {
      const { orderRef, revision, lane } = effectKeyParts(id)
      const row = one.get(orderRef, merchantRef, revision, lane)
      if (row === undefined) return E.left(unknown)
      if (row.is_forgotten === 1) return E.left(deliveryForgotten)
      return E.right(sendAgain(row, 'resend', at))
    },

    recover: ({ merchantRef, since, at, after, limit }) => {
      const rows = lookedAt.all({ merchantRef }, after, limit)
      const wanted = rows.filter(
        ({ state, tried_at }) => isRecovered(deliveryState(state)) && tried_at >= since && tried_at <= at,
      )
      for (const row of wanted) sendAgain(row, 'recover', at)
      const last = rows.at(-1)
      return { count: wanted.length, next: rows.length < limit || last === undefined ? null : last.id }
    },
  }
}
