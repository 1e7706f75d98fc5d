// Jobs that an internal error made stuck: lists them, and puts them back into their lanes. Contract §6, Stuck.
import { effectKey, type FullStore, type JobNotFound, type StuckJob, type Unavailable } from '@plazo/core'
import * as E from 'fp-ts/lib/Either.js'
import { aadForStuckMessage } from '../encryption/cipher.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import type { Database } from './schema/database.ts'
import { runOrUnavailable } from './unavailable.ts'
import type { WriteQueue } from './write-queue.ts'

type StuckRow = {
  readonly id: number
  readonly order_id: number
  readonly order_ref: string
  readonly revision: number
  readonly lane: string
  readonly message: Buffer | string
}

export const sqliteStuckJobs = (
  db: Database,
  queue: WriteQueue,
  dataKeys: DataKeys,
): Pick<FullStore, 'stuckJobs' | 'retryStuckJob'> => {
  const stuck = db.prepare<[], StuckRow>(`
    select b.id, b.order_id, o.order_ref, b.revision, b.lane, b.message
    from outbox b join orders o on o.id = b.order_id where b.state = 'stuck' order by b.id`)

  return {
    stuckJobs: () =>
      runOrUnavailable(() =>
        E.right(
          stuck.all().map(
            ({ id, order_id, order_ref, revision, lane, message }): StuckJob => ({
              key: effectKey(order_ref, revision, lane),
              orderRef: order_ref,
              message: Buffer.isBuffer(message) ? dataKeys.decrypt(order_id, aadForStuckMessage(id), message) : message,
            }),
          ),
        ),
      ),

    retryStuckJob: (key, at) => async (): Promise<E.Either<JobNotFound | Unavailable, void>> => {
      const committed = await queue.ask({ name: 'retryStuckJob', input: { key, at } })
      if (E.isLeft(committed)) return committed
      return committed.right ? E.right(undefined) : E.left({ _tag: 'JobNotFound' })
    },
  }
}
