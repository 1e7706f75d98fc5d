// The store on SQLite: the one store over the base of a file, and what lists and pages read.
import { type FullStore, modelOf, type OrderModel, type QueueName } from '@plazo/core/internal'
import { createDeliveries } from '../sql/deliveries.ts'
import type { Dialect } from '../sql/dialect.ts'
import { createEndpoints } from '../sql/endpoints.ts'
import { createOrderInspection } from '../sql/order-inspection.ts'
import { createOrderLists } from '../sql/order-search.ts'
import { createRetention } from '../sql/retention.ts'
import type { CommitOptions } from '../store/commits.ts'
import { createStore } from '../store/store.ts'
import type { Timers } from '../system/clock-and-ids.ts'
import { prepareNextDue, sqliteBase } from './base.ts'
import type { Committer } from './commit.ts'
import type { SqliteLease } from './lease.ts'
import type { Database } from './schema/database.ts'
import { valueOrUnavailable } from './unavailable.ts'

type SqliteStoreParts = Pick<CommitOptions, 'capacity' | 'hash' | 'limitsCodes'> & {
  readonly committer: Committer
  readonly dialect: Dialect
  /** Absent: no other process can have the database. */
  readonly lease?: SqliteLease | undefined
  readonly model?: OrderModel | undefined
  readonly timers: Timers
}

export const sqliteStore = (
  db: Database,
  { committer, dialect, lease, model = modelOf({}), timers, ...options }: SqliteStoreParts,
) => {
  const {
    readOrders,
    running,
    stats,
    resend,
    forgetOpened: _,
    look,
    close,
    ...store
  } = createStore({
    base: sqliteBase(db, committer.commit),
    open: dialect.sealer.opener,
    forgetKeys: dialect.sealer.forgetKeys,
    ...(lease && { lease }),
    options: {
      ...{ ...options, soon: timers.soon, monotonicNow: timers.monotonicNow, maxInFlight: 2 },
      ...(lease && { onChange: lease.noteChange }),
    },
  })
  lease?.onNews(() => void look(null))
  const nextDue = prepareNextDue(db)
  const stuckCount = db
    .prepare<[], number>(`select count(*) from outbox where state = 'stuck'`)
    .pluck()
  const dueOf = (queue: QueueName) => nextDue(queue, Number.NEGATIVE_INFINITY, running())

  const full: FullStore = {
    ...store,
    takesWrites: committer.takesWrites,
    queueStats: () =>
      valueOrUnavailable(() => ({
        nextDueAt: { work: dueOf('work'), event: dueOf('event'), ipn: dueOf('ipn') },
        stuckCount: stuckCount.get() ?? 0,
        ...stats(),
      })),
    ...createOrderInspection({ ...dialect, cursor: 'j.id' }),
    deliveries: createDeliveries({ ...dialect, resend }),
    endpoints: createEndpoints({ ...dialect, running }),
    orders: createOrderLists({
      model,
      ...dialect,
      // SQLite does not search an index for a pair that ends with the primary key.
      isInIndex: ({ column, value }, below, oldest, bind) =>
        `o.${column} = ${bind(value)} and o.id < ${below()} and o.id >= ${oldest()}`,
      readOrders,
    }),
    retention: createRetention(dialect),
  }
  return { store: full, close }
}
