// The store in memory, for embedding, tests and trials. It gives the same guarantees as the others,
// except after a crash.
import { mapRows } from '../rows/map-rows.ts'
import { type StoreOverRows, storeOver } from '../rows/store-over.ts'

/**
 * Keeps everything until the process ends, and no other process shares it. For lists of orders and
 * deliveries, open a database in memory: `openSqlite(':memory:')`.
 */
export const memoryStore = (): StoreOverRows['store'] => storeOver(mapRows(new Map())).store
