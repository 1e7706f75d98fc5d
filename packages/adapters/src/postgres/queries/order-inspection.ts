// Reads the parts of an order that only pages show: its body as it was placed, and its unfinished
// jobs.
import {
  effectKey,
  type MerchantRequest,
  type OrderInspection,
  type OrderNotFound,
  orderNotFound,
  type UnfinishedJob,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { AAD_ORDER_PAYLOAD, aadForPayload } from '../../encryption/cipher.ts'
import { type Connection, statement } from '../connection/connection.ts'
import type { DataKeys, KeyColumns } from '../encryption/data-keys.ts'
import { isUuid } from '../sql/values.ts'
import { runOrUnavailable } from '../unavailable.ts'
import { IS_DELIVERY } from './delivery-rows.ts'

const PAYLOAD = statement('order-payload')`
  select p.payload, k.key_id, k.tag, k.ciphertext
  from plazo.placements p join plazo.data_keys k on k.order_id = p.order_id
  where p.order_id = (select id from plazo.orders where order_ref = $1) and p.payload is not null`

const JOBS = statement('order-pending-jobs')`
  select b.revision, coalesce(b.lane, r.lane) as lane, b.due_at as "dueAt", b.attempts, b.first_at as "firstAt",
    b.expires_at as "expiresAt", b.state, b.resend_of is not null as "isResend"
  from plazo.outbox b left join plazo.outbox r on r.order_id = b.order_id and r.id = b.resend_of
  where b.order_id = (select id from plazo.orders where order_ref = $1) and b.state in ('queued', 'pending', 'claimed', 'stuck') order by b.due_at, b.id`

const EXISTS = statement('order-exists')`select 1 from plazo.orders where order_ref = $1`

const REQUESTS = statement('order-requests')`
  select b.revision, b.lane, b.work, k.key_id, k.tag, k.ciphertext
  from plazo.outbox b join plazo.data_keys k on k.order_id = b.order_id
  where b.order_id = (select id from plazo.orders where order_ref = $1) and ${IS_DELIVERY} and b.work is not null order by b.id`

type RequestRow = KeyColumns & {
  readonly revision: number
  readonly lane: string
  readonly work: Buffer
}
type PayloadRow = KeyColumns & { readonly payload: Buffer }
type JobRow = Omit<UnfinishedJob, 'key'> & { readonly revision: number }

export const postgresOrderInspection = (
  { query }: Connection,
  dataKeys: DataKeys,
): OrderInspection => {
  const ofExisting = <A>(orderRef: string, read: () => Promise<A>) =>
    runOrUnavailable(async (): Promise<E.Either<OrderNotFound, A>> => {
      const [found] = isUuid(orderRef) ? await query(EXISTS, orderRef) : []
      return found === undefined ? E.left(orderNotFound) : E.right(await read())
    })

  return {
    payload: (orderRef) =>
      ofExisting(orderRef, async () => {
        const [row] = await query<PayloadRow>(PAYLOAD, orderRef)
        return row === undefined
          ? null
          : dataKeys.decrypt(orderRef, row, AAD_ORDER_PAYLOAD, row.payload)
      }),

    requests: (orderRef) =>
      ofExisting(
        orderRef,
        async () =>
          new Map(
            (await query<RequestRow>(REQUESTS, orderRef)).map(
              ({ revision, lane, work, ...key }) => {
                const payload = dataKeys.decrypt(orderRef, key, aadForPayload(revision, lane), work)
                return [effectKey(orderRef, revision, lane), JSON.parse(payload) as MerchantRequest]
              },
            ),
          ),
      ),

    pendingJobs: (orderRef) =>
      ofExisting(orderRef, async () =>
        (await query<JobRow>(JOBS, orderRef)).map(({ revision, ...job }) => ({
          key: effectKey(orderRef, revision, job.lane),
          ...job,
        })),
      ),
  }
}
