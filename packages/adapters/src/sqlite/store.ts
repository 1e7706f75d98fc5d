// The Store on SQLite. Steps are decided here. The writer writes order, journal and outbox rows in
// one transaction.
import { type FullStore, modelOf, orderNotFound } from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import { createDeliveries, IS_DELIVERY } from '../sql/deliveries.ts'
import { createEndpoints } from '../sql/endpoints.ts'
import { createOrderInspection } from '../sql/order-inspection.ts'
import { createOrderLists } from '../sql/order-search.ts'
import { createRetention } from '../sql/retention.ts'
import { createClaim } from './claim.ts'
import type { WriteQueue } from './commit.ts'
import type { DataKeys } from './encryption/data-keys.ts'
import { encodeReference } from './order-columns.ts'
import { ORDER, type OrderRow } from './order-reader.ts'
import { sqliteDialect } from './queries/dialect.ts'
import { createDueJobs } from './queries/due-jobs.ts'
import type { Database } from './schema/database.ts'
import { runOrUnavailable, valueOrUnavailable } from './unavailable.ts'

const canRead = (db: Database): boolean => {
  try {
    return db.prepare('select 1').pluck().get() === 1
  } catch {
    return false
  }
}

export const sqliteStore = (
  db: Database,
  queue: WriteQueue,
  dataKeys: DataKeys,
  model = modelOf({}),
): FullStore => {
  const { reader, orderJobs } = queue
  const { nextDueAtOf, nextDueAfter } = createDueJobs(db)
  const dialect = sqliteDialect(db, queue.runCommand, dataKeys)

  const holder = db.prepare<[string, string], OrderRow>(
    `${ORDER} where merchant_ref = ? and held_reference = ?`,
  )
  const inFlightCount = db
    .prepare<[], number>(`select count(*) from outbox where state = 'claimed'`)
    .pluck()
  const stuckCount = db
    .prepare<[], number>(`select count(*) from outbox where state = 'stuck'`)
    .pluck()

  const slowMerchants = db
    .prepare<[], string>(
      `select distinct b.merchant from outbox b join endpoints e on e.merchant = b.merchant and e.kind = b.queue
       where b.state = 'claimed' and b.queue in ('event', 'ipn') and e.is_good = 0 limit 100`,
    )
    .pluck()

  return {
    place: orderJobs.place,

    read: (orderRef) =>
      runOrUnavailable(() => E.fromNullable(orderNotFound)(reader.read(orderRef)?.order)),

    findByReference: (merchantRef, orderRef1) =>
      runOrUnavailable(() => {
        const row = holder.get(merchantRef, encodeReference(orderRef1))
        return E.fromNullable(orderNotFound)(row && reader.orderOf(row))
      }),

    step: orderJobs.step,

    claim: createClaim(queue, dataKeys),

    onCommitted: orderJobs.onCommitted,

    complete: orderJobs.complete,

    release: orderJobs.release,

    takesWrites: async () => canRead(db) && (await queue.takesWrites()),

    nextDueAt: (after) =>
      valueOrUnavailable(() =>
        after === undefined ? nextDueAtOf('work', 'event', 'ipn') : nextDueAfter(after),
      ),

    queueStats: () =>
      valueOrUnavailable(() => ({
        nextDueAt: {
          work: nextDueAtOf('work'),
          event: nextDueAtOf('event'),
          ipn: nextDueAtOf('ipn'),
        },
        inFlight: inFlightCount.get() ?? 0,
        stuckCount: stuckCount.get() ?? 0,
        slowMerchants: slowMerchants.all(),
      })),

    ...createOrderInspection({
      ...dialect,
      cursor: 'j.id',
      retryStuckJob: ({ id }, at) => queue.runCommand('retryStuckJob', { id, at }),
    }),

    deliveries: createDeliveries({
      ...dialect,
      all: [IS_DELIVERY],
      delivered: IS_DELIVERY,
      resend: (jobs, by, at) =>
        queue.runCommand('resend', { ids: jobs.map(({ id }) => id), by, at }),
    }),

    endpoints: createEndpoints(dialect),

    orders: createOrderLists({
      model,
      ...dialect,
      // SQLite does not search an index for a pair that ends with the primary key.
      isInIndex: ({ column, value }, below, oldest, bind) =>
        `o.${column} = ${bind(value)} and o.id < ${below()} and o.id >= ${oldest()}`,
      readOrders: reader.readOrders,
    }),

    retention: createRetention(dialect),
  }
}
