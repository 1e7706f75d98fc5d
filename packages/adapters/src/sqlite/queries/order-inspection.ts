// Reads the parts of an order that only pages show: its body as it was placed, and its unfinished
// jobs.
import { effectKey, type OrderInspection, orderNotFound, type PendingJob } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_ORDER_PAYLOAD } from '../../encryption/cipher.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'
import { runOrUnavailable } from '../unavailable.ts'

type JobRow = Omit<PendingJob, 'key'> & { readonly revision: number }

export const sqliteOrderInspection = (db: Database, dataKeys: DataKeys): OrderInspection => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const payloadOf = db
    .prepare<[number], Buffer | null>('select payload from placements where order_id = ?')
    .pluck()
  // Two parts, because two indexes hold them: one has the unfinished jobs of an order, the other
  // all stuck ones, which are few.
  const jobsOf = db.prepare<[number, number], JobRow>(`
    select revision, lane, due_at as dueAt, attempts, first_at as firstAt, expires_at as expiresAt, state from outbox
      where order_id = ? and lane is not null and state in ('queued', 'pending', 'claimed')
    union all select revision, lane, due_at, attempts, first_at, expires_at, state from outbox
      where order_id = ? and lane is not null and state = 'stuck'
    order by 3`)

  const withId = <A>(orderRef: string, read: (id: number) => A) =>
    runOrUnavailable(() => E.map(read)(E.fromNullable(orderNotFound)(orderId.get(orderRef))))

  return {
    payload: (orderRef) =>
      withId(orderRef, (id) => {
        const payload = payloadOf.get(id) ?? null
        return payload === null ? null : dataKeys.decrypt(id, AAD_ORDER_PAYLOAD, payload)
      }),
    pendingJobs: (orderRef) =>
      withId(orderRef, (id) =>
        jobsOf.all(id, id).map(({ revision, ...job }) => ({
          key: effectKey(orderRef, revision, job.lane),
          ...job,
        })),
      ),
  }
}
