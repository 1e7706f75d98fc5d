// Jobs that an internal error made stuck, in PostgreSQL: lists them, and puts them back into their
// lanes. Contract §6, Stuck.
import { effectKey, type FullStore, type JobNotFound, type StuckJob } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { aadForStuckMessage } from '../encryption/cipher.ts'
import { type Connection, statement } from './connection/connection.ts'
import type { DataKeys, KeyColumns } from './encryption/data-keys.ts'
import { parseEffectKey } from './sql/values.ts'
import { runOrUnavailable } from './unavailable.ts'

type StuckRow = KeyColumns & {
  readonly order_ref: string
  readonly id: number
  readonly revision: number
  readonly lane: string
  readonly message: Buffer
}

const STUCK = statement('outbox-stuck')`
  select o.order_ref, b.id, b.revision, b.lane, b.message, k.key_id, k.tag, k.ciphertext
  from plazo.outbox b join plazo.orders o on o.id = b.order_id join plazo.data_keys k on k.order_id = b.order_id
  where b.state = 'stuck' order by b.id`

const LOCK = statement(
  'stuck-job-lock',
)`update plazo.orders set version = version + 1 where order_ref = $1`

const RETRY_STUCK = statement('stuck-job-retry')`
  update plazo.outbox b set message = null, due_at = $4, state = case when exists (
      select from plazo.outbox a
      where a.order_id = b.order_id and a.lane = b.lane and a.state in ('queued', 'pending', 'claimed'))
    then 'queued' else 'pending' end
  where b.state = 'stuck' and b.order_id = (select id from plazo.orders where order_ref = $1) and b.revision = $2 and b.lane = $3 returning b.id`

const jobNotFound: JobNotFound = { _tag: 'JobNotFound' }

/**
 * `runAndNotify`: like `runOrUnavailable`. On success it also reports that something may be due at
 * once.
 */
export const postgresStuckJobs = (
  { query, transaction }: Connection,
  dataKeys: DataKeys,
  runAndNotify: typeof runOrUnavailable,
): Pick<FullStore, 'stuckJobs' | 'retryStuckJob'> => ({
  stuckJobs: () =>
    runOrUnavailable(async () => {
      const rows = await query<StuckRow>(STUCK)
      return E.right(
        rows.map(({ order_ref, id, revision, lane, message, ...key }): StuckJob => {
          const isEncrypted = message[0] === 1
          return {
            key: effectKey(order_ref, revision, lane),
            orderRef: order_ref,
            message: isEncrypted
              ? dataKeys.decrypt(order_ref, key, aadForStuckMessage(id), message)
              : message.toString(),
          }
        }),
      )
    }),

  retryStuckJob: (key, at) =>
    runAndNotify((): Promise<E.Either<JobNotFound, void>> => {
      const parts = parseEffectKey(key)
      if (parts === null) return Promise.resolve(E.left(jobNotFound))
      const { orderRef, revision, lane } = parts
      return transaction(async (run) => {
        await run(LOCK, orderRef)
        const released = await run(RETRY_STUCK, orderRef, revision, lane, at)
        return released.length === 0 ? E.left(jobNotFound) : E.right(undefined)
      })
    }),
})
