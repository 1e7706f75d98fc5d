// The store on a SQL database: the one store over its base, and what lists, pages and alerts read.
import { type FullStore, modelOf, type OrderModel } from '@plazo/core/internal'
import type { EncryptedDataKey } from '../encryption/cipher.ts'
import type { Sealed } from '../store/seal.ts'
import { createStore, type StoreParts } from '../store/store.ts'
import { createDeliveries } from './deliveries.ts'
import type { Dialect } from './dialect.ts'
import { readDueTimes } from './due-jobs.ts'
import { createEndpoints } from './endpoints.ts'
import { createOrderInspection } from './order-inspection.ts'
import { createOrderLists } from './order-search.ts'
import { createRetention } from './retention.ts'

type SqlStoreParts = Omit<StoreParts<Sealed, EncryptedDataKey>, 'open' | 'forgetKeys'> &
  Pick<FullStore, 'takesWrites'> & {
    /** The model of the host's terms, by which lists read. Default: `ORDER_MODEL`. */
    readonly model?: OrderModel | undefined
  }

export const createSqlStore = (
  dialect: Dialect,
  { takesWrites, model = modelOf({}), ...parts }: SqlStoreParts,
) => {
  const { schema, query, orUnavailable, sealer } = dialect
  const { readOrders, running, stats, resend, ...store } = createStore({
    ...parts,
    open: sealer.opener,
    forgetKeys: sealer.forgetKeys,
  })
  return {
    ...store,
    takesWrites,
    queueStats: () =>
      orUnavailable(async () => {
        const [stuck] = await query<{ readonly count: number }>(
          () => `select count(*) as count from ${schema}outbox where state = 'stuck'`,
        )
        const nextDueAt = await readDueTimes(dialect, Number.NEGATIVE_INFINITY, running())
        return { nextDueAt, stuckCount: stuck?.count ?? 0, ...stats() }
      }),
    ...createOrderInspection(dialect),
    deliveries: createDeliveries({ ...dialect, resend }),
    endpoints: createEndpoints({ ...dialect, running }),
    orders: createOrderLists({ ...dialect, model, readOrders }),
    retention: createRetention(dialect),
  } satisfies FullStore & Record<string, unknown>
}
