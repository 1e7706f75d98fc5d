// The store on PostgreSQL: orders and their jobs over `base.ts`, and what pages and commands read.
import { type FullStore, modelOf, type QueueName } from '@plazo/core/internal'
import { createDeliveries } from '../sql/deliveries.ts'
import type { Dialect } from '../sql/dialect.ts'
import { createEndpoints } from '../sql/endpoints.ts'
import { createOrderInspection } from '../sql/order-inspection.ts'
import { createOrderLists } from '../sql/order-search.ts'
import { createRetention } from '../sql/retention.ts'
import type { Base } from '../store/base.ts'
import type { CommitOptions } from '../store/commits.ts'
import type { Lease } from '../store/lease.ts'
import { type CreatedStore, createStore } from '../store/store.ts'
import {
  jobColumns,
  NEXT_DUE,
  type NextDueRow,
  postgresBase,
  toInstant,
  type WriteOptions,
} from './base.ts'
import { type Connection, statement } from './connection/connection.ts'
import { answerOrUnavailable } from './unavailable.ts'

type PostgresStoreOptions = WriteOptions &
  Pick<FullStore, 'takesWrites'> &
  Pick<CommitOptions, 'hash' | 'limitsCodes' | 'monotonicNow'> & {
    readonly dialect: Dialect
    readonly lease: Lease & Pick<Base<unknown, unknown>, 'erasures'>
    readonly onChange?: (ref: string | null) => void
    /** False: the caller's transaction may be undone. */
    readonly keepsOrders: boolean
  }

type PostgresStore = FullStore &
  Pick<CreatedStore, 'notifyCommitted' | 'look' | 'handOver' | 'close' | 'forgetOpened'>

// So an order that a transaction of the program holds delays only itself. Milliseconds.
const LOCK_TIMEOUT = 500

const STUCK = statement('jobs-stuck')`
  select count(*)::integer as count from plazo.outbox where state = 'stuck'`

export const postgresStore = (
  connection: Connection,
  options: PostgresStoreOptions,
): PostgresStore => {
  const {
    dialect,
    lease,
    capacity,
    monotonicNow,
    hash,
    limitsCodes,
    onChange,
    keepsOrders,
    model = modelOf({}),
  } = options
  const { query } = connection
  const { readOrders, running, stats, resend, ...store } = createStore({
    base: postgresBase(connection, dialect.sealer, {
      onCommit: options.onCommit,
      erasures: lease.erasures,
      lockTimeout: keepsOrders ? LOCK_TIMEOUT : null,
    }),
    open: dialect.sealer.opener,
    forgetKeys: dialect.sealer.forgetKeys,
    lease,
    keepsOrders,
    options: {
      ...{ capacity, monotonicNow, hash, limitsCodes, maxInFlight: keepsOrders ? 2 : 1 },
      ...(onChange && { onChange }),
    },
  })

  return {
    ...store,

    takesWrites: options.takesWrites,

    queueStats: () =>
      answerOrUnavailable(async () => {
        const rows = await query<NextDueRow>(
          NEXT_DUE,
          toInstant(Number.NEGATIVE_INFINITY),
          ...jobColumns(running()),
        )
        const [stuck] = await query<{ readonly count: number }>(STUCK)
        const dueIn = (queue: QueueName) => rows.find((row) => row.queue === queue)?.dueAt ?? null
        return {
          nextDueAt: { work: dueIn('work'), event: dueIn('event'), ipn: dueIn('ipn') },
          stuckCount: stuck?.count ?? 0,
          ...stats(),
        }
      }),

    ...createOrderInspection({
      ...dialect,
      cursor: 'j.seq',
    }),
    deliveries: createDeliveries({ ...dialect, resend }),
    endpoints: createEndpoints({ ...dialect, running }),
    orders: createOrderLists({
      ...dialect,
      model,
      // With an equation of the column, the planner could read the index of all orders instead.
      isInIndex: ({ column, value }, below, oldest, bind) => {
        const pair = `(o.${column}, o.id)`
        return `o.${column} is not null and ${pair} < (${bind(value)}, ${below()}) and ${pair} >= (${bind(value)}, ${oldest()})`
      },
      readOrders,
    }),
    retention: createRetention(dialect),
  }
}
