// The Store on PostgreSQL. A step takes one statement that writes, preceded by one that reads if
// the order is not cached. Concurrent steps share both.
import {
  type FullStore,
  modelOf,
  type OrderModel,
  orderNotFound,
  type QueueStats,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { DataKey } from '../encryption/cipher.ts'
import { createDeliveries, UNDELIVERED } from '../sql/deliveries.ts'
import { createEndpoints } from '../sql/endpoints.ts'
import type { OrderCache } from '../sql/order-cache.ts'
import { createOrderInspection } from '../sql/order-inspection.ts'
import { createOrderJobs } from '../sql/order-jobs.ts'
import { createOrderLists } from '../sql/order-search.ts'
import { createRetention } from '../sql/retention.ts'
import { type ClaimingOptions, createClaim } from './claim.ts'
import { type CommitOptions, createCommit } from './commit.ts'
import { type Connection, statement } from './connection/connection.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { createOrderReader } from './order-reader.ts'
import { postgresDialect } from './queries/dialect.ts'
import { NEXT_DUE, NEXT_DUE_AFTER } from './sql/next-due.sql.ts'
import { encodeReference } from './sql/values.ts'
import { answerOrUnavailable, runOrUnavailable } from './unavailable.ts'
import { createResend } from './writer/resend.ts'

export type WriteOptions = CommitOptions & {
  /** The model of the host's terms, by which lists read. Default: `ORDER_MODEL`. */
  readonly model?: OrderModel
  /** How many jobs may wait before further requests are refused. */
  readonly capacity?: number
}

type PostgresStoreOptions = ClaimingOptions &
  WriteOptions &
  Pick<FullStore, 'takesWrites'> & {
    readonly dataKeys: DataKeys
    readonly cache?: OrderCache<DataKey>
  }

type PostgresStore = FullStore & {
  readonly notifyCommitted: () => void
  readonly close: () => Promise<void>
}

// Exactly the condition of the index outbox_ended_of_merchant, and the only state of it.
const DELIVERED = `queue <> 'work' and state in ('delivered', 'exhausted', 'stopped', 'unsupported', 'stuck')
  and state || '' = 'delivered'`

const HOLDER = statement('reference-holder')`
  select o.order_ref from plazo.held_references h join plazo.orders o on o.id = h.order_id
  where h.merchant_ref = $1 and h.reference = $2`

export const postgresStore = (
  connection: Connection,
  options: PostgresStoreOptions,
): PostgresStore => {
  const { dataKeys, model = modelOf({}) } = options
  const { query } = connection
  const dialect = postgresDialect(connection, dataKeys)
  const { resend, retryStuckJob } = createResend(connection)
  const { cache, readOrders } = createOrderReader(connection, dataKeys, options.cache)
  const commit = createCommit(query, dataKeys, readOrders, options)
  const orderJobs = createOrderJobs({ readOrders, commit }, cache, { capacity: options.capacity })
  const { readOrder } = orderJobs

  const clearCaches = (): void => {
    cache.clear()
    dataKeys.clear()
  }

  // If a standby without the last commits takes over, other steps get the revisions of those
  // commits.
  connection.onBroken(clearCaches)

  const notifyCommitted = (): void =>
    orderJobs.notify({ nextDueAt: Number.NEGATIVE_INFINITY, steps: 0 })

  const andNotify = <A>(run: () => Promise<A>) =>
    TE.tapIO(answerOrUnavailable(run), () => notifyCommitted)

  const readQueue = async () => {
    const [row] = await query<QueueStats & { readonly first: number | null }>(NEXT_DUE)
    if (row === undefined) throw new Error('The statement returned no row.')
    const { first, ...stats } = row
    return { first, stats }
  }

  return {
    place: orderJobs.place,

    read: (orderRef) =>
      runOrUnavailable(async () =>
        E.fromNullable(orderNotFound)((await readOrder(orderRef))?.order),
      ),

    findByReference: (merchantRef, orderRef1) =>
      runOrUnavailable(async () => {
        const [holder] = await query<{ order_ref: string }>(
          HOLDER,
          merchantRef,
          encodeReference(orderRef1),
        )
        const read = holder && (await readOrder(holder.order_ref))
        return E.fromNullable(orderNotFound)(read?.order)
      }),

    step: orderJobs.step,

    onCommitted: orderJobs.onCommitted,

    takesWrites: options.takesWrites,

    claim: createClaim(query, dataKeys, cache, orderJobs, options, clearCaches),

    complete: orderJobs.complete,

    release: orderJobs.release,

    nextDueAt: (after) =>
      answerOrUnavailable(async () => {
        if (after === undefined) return (await readQueue()).first
        const [row] = await query<{ readonly first: number | null }>(NEXT_DUE_AFTER, after)
        return row?.first ?? null
      }),

    queueStats: () => answerOrUnavailable(async () => (await readQueue()).stats),

    ...createOrderInspection({
      ...dialect,
      cursor: 'j.seq',
      retryStuckJob: (job, at) => andNotify(() => retryStuckJob(job, at)),
    }),
    deliveries: createDeliveries({
      ...dialect,
      all: [...UNDELIVERED, DELIVERED],
      delivered: DELIVERED,
      resend: (jobs, by, at) => andNotify(() => resend(jobs, by, at)),
    }),
    endpoints: createEndpoints(dialect),
    orders: createOrderLists({
      model,
      ...dialect,
      // With an equation of the column, the planner could read the index of all orders instead.
      isInIndex: ({ column, value }, below, oldest, bind) => {
        const pair = `(o.${column}, o.id)`
        return `o.${column} is not null and ${pair} < (${bind(value)}, ${below()}) and ${pair} >= (${bind(value)}, ${oldest()})`
      },
      readOrders,
    }),
    retention: createRetention(dialect),
    notifyCommitted,
    close: orderJobs.close,
  }
}
