// The Store in memory, for embedding, tests and trials: a store over rows in maps, and every
// capability over the same maps. It gives the same guarantees as the others, except after a crash.
import {
  type FullStore,
  isMerchantRequest,
  modelOf,
  type OrderModel,
  orderNotFound,
  type QueueName,
  type QueueStats,
  queueNameOf,
  toUnavailable,
  type UnfinishedJob,
} from '@plazo/core/ports'
import * as E from 'fp-ts/lib/Either.js'
import type { JobRow, OrderRow } from '../rows/rows.ts'
import { storeOver } from '../rows/store-over.ts'
import { createCommitListeners } from '../sql/storage.ts'
import { memoryDeliveries } from './deliveries.ts'
import { memoryOrders } from './orders.ts'
import { memoryRetention } from './retention.ts'
import { type MemoryTables, memoryTables, type RunInTables } from './tables.ts'

const SLOW_MERCHANTS_MAX = 100

/** The clock of leases, and the model of the orders in the store. */
export type MemoryStoreOptions = {
  /** Real time, used only for leases. */
  readonly realNow: () => number
  /** The model of the host's terms. Default: `ORDER_MODEL`. */
  readonly model?: OrderModel
}

const statsOf = ({ rows, endpoints }: MemoryTables): QueueStats => {
  const jobs = rows.jobs()
  const ofState = (state: JobRow['state']) => jobs.filter((job) => job.state === state)
  const inFlight = ofState('claimed')
  const nextDueAt = (queue: QueueName): number | null => {
    const pending = ofState('pending').filter(
      ({ effect }) => queueNameOf(effect.payload.kind) === queue,
    )
    return pending.length === 0 ? null : Math.min(...pending.map(({ dueAt }) => dueAt))
  }
  const slow = inFlight.filter(({ merchantRef, effect }) => {
    const queue = queueNameOf(effect.payload.kind)
    return queue !== 'work' && endpoints.isGood(merchantRef, queue) === false
  })
  return {
    nextDueAt: { work: nextDueAt('work'), event: nextDueAt('event'), ipn: nextDueAt('ipn') },
    inFlight: inFlight.length,
    stuckCount: ofState('stuck').length,
    slowMerchants: [...new Set(slow.map(({ merchantRef }) => merchantRef))].slice(
      0,
      SLOW_MERCHANTS_MAX,
    ),
  }
}

const pendingJobsOf = ({ rows }: MemoryTables, orderRef: string): readonly UnfinishedJob[] =>
  rows
    .jobs(orderRef)
    .map(({ effect, dueAt, attempts, firstAt, state, isResend }) => ({
      key: effect.key,
      lane: effect.lane,
      dueAt,
      attempts,
      firstAt,
      expiresAt: effect.expiresAt,
      state,
      isResend,
    }))
    .sort((one, other) => one.dueAt - other.dueAt)

/**
 * Keeps everything until the process ends. It cannot erase a shopper, and no other process shares
 * it.
 */
export const memoryStore = ({ realNow, model = modelOf({}) }: MemoryStoreOptions): FullStore => {
  const tables = memoryTables()
  const store = storeOver(tables.rows, realNow)
  const listeners = createCommitListeners()
  store.onCommitted(listeners.notify)

  const read: RunInTables = (run) => async () =>
    E.flattenW(E.tryCatch(() => tables.rows.transaction(run), toUnavailable))

  const write: RunInTables = (run) => async () => {
    const written = await read(run)()
    const next = await store.nextDueAt()()
    if (E.isRight(written) && E.isRight(next) && next.right !== null)
      listeners.notify({ nextDueAt: next.right, steps: 0 })
    return written
  }

  const readOrder = <A>(orderRef: string, select: (row: OrderRow) => A) =>
    read(() => E.map(select)(E.fromNullable(orderNotFound)(tables.rows.order(orderRef))))

  return {
    ...store,
    onCommitted: listeners.onCommitted,
    takesWrites: async () => true,
    history: (orderRef, from, limit) =>
      readOrder(orderRef, ({ journal }) => {
        const older = from === null ? journal : journal.filter(({ seq }) => seq <= from)
        const lines = older.slice(-limit).toReversed()
        const next = older.at(-limit - 1)?.seq ?? null
        return { lines: lines.map(({ input: _input, ...line }) => line), next }
      }),
    queueStats: () => read(() => E.right(statsOf(tables))),
    inspection: {
      payload: (orderRef) => readOrder(orderRef, ({ payload }) => payload),
      pendingJobs: (orderRef) => readOrder(orderRef, () => pendingJobsOf(tables, orderRef)),
      requests: (orderRef) =>
        readOrder(
          orderRef,
          () =>
            new Map(
              tables
                .deliveries(orderRef)
                .flatMap(({ effect: { key, payload } }) =>
                  isMerchantRequest(payload) ? [[key, payload]] : [],
                ),
            ),
        ),
    },
    endpoints: tables.endpoints.port(
      (merchantRef, kind) =>
        tables.rows
          .jobs()
          .filter(
            (job) =>
              job.state === 'pending' &&
              job.merchantRef === merchantRef &&
              queueNameOf(job.effect.payload.kind) === kind,
          ).length,
    ),
    orders: memoryOrders(tables, read, model),
    retention: memoryRetention(tables, read),
    deliveries: memoryDeliveries(tables, read, write),
  }
}
