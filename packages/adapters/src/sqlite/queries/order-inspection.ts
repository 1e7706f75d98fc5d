// Reads the parts of an order that only pages show: its body as it was placed, and its unfinished
// jobs.
import {
  effectKey,
  type MerchantRequest,
  type OrderInspection,
  orderNotFound,
  type UnfinishedJob,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_ORDER_PAYLOAD, aadForPayload } from '../../encryption/cipher.ts'
import type { DataKeys } from '../encryption/data-keys.ts'
import type { Database } from '../schema/database.ts'
import { runOrUnavailable } from '../unavailable.ts'
import { IS_DELIVERY } from './delivery-rows.ts'
import { UNFINISHED } from './due-jobs.ts'

type JobRow = Omit<UnfinishedJob, 'key' | 'isResend'> & {
  readonly revision: number
  readonly isResend: number
}

type RequestRow = {
  readonly revision: number
  readonly lane: string
  readonly work: Buffer | string
}

export const sqliteOrderInspection = (db: Database, dataKeys: DataKeys): OrderInspection => {
  const orderId = db.prepare<[string], number>('select id from orders where order_ref = ?').pluck()
  const payloadOf = db
    .prepare<[number], Buffer | null>('select payload from placements where order_id = ?')
    .pluck()
  // Two parts, because two indexes hold them: one has the unfinished jobs of an order, the other
  // all stuck ones, which are few.
  const jobsIn = (states: string): string => `
    select b.revision, coalesce(b.lane, r.lane) as lane, b.due_at as dueAt, b.attempts, b.first_at as firstAt,
      b.expires_at as expiresAt, b.state, b.resend_of is not null as isResend
    from outbox b left join outbox r on r.id = b.resend_of where b.order_id = ? and b.${states}`
  const jobsOf = db.prepare<[number, number], JobRow>(
    `${jobsIn(UNFINISHED)} union all ${jobsIn("state = 'stuck'")} order by 3`,
  )

  const requestsOf = db.prepare<[number], RequestRow>(
    `select revision, lane, work from outbox where order_id = ? and ${IS_DELIVERY} and work is not null order by id`,
  )

  const withId = <A>(orderRef: string, read: (id: number) => A) =>
    runOrUnavailable(() => E.map(read)(E.fromNullable(orderNotFound)(orderId.get(orderRef))))

  return {
    payload: (orderRef) =>
      withId(orderRef, (id) => {
        const payload = payloadOf.get(id) ?? null
        return payload === null ? null : dataKeys.decrypt(id, AAD_ORDER_PAYLOAD, payload)
      }),
    requests: (orderRef) =>
      withId(
        orderRef,
        (id) =>
          new Map(
            requestsOf.all(id).map(({ revision, lane, work }) => {
              const payload = Buffer.isBuffer(work)
                ? dataKeys.decrypt(id, aadForPayload(revision, lane), work)
                : work
              return [effectKey(orderRef, revision, lane), JSON.parse(payload) as MerchantRequest]
            }),
          ),
      ),
    pendingJobs: (orderRef) =>
      withId(orderRef, (id) =>
        jobsOf.all(id, id).map(({ revision, isResend, ...job }) => ({
          key: effectKey(orderRef, revision, job.lane),
          isResend: isResend === 1,
          ...job,
        })),
      ),
  }
}
