// Rows in the SQLite storage of a Durable Object of Cloudflare Workers.
import type { Rows } from './rows.ts'
import { sqlRows } from './sql-rows.ts'

/** What rows use of `ctx.storage`. */
export type DurableObjectStorage = {
  readonly sql: {
    exec(sql: string, ...values: unknown[]): { toArray(): Record<string, unknown>[] }
  }
  transactionSync<A>(run: () => A): A
}

/** The class of the Durable Object must be configured with `new_sqlite_classes`. */
export const durableObjectRows = (storage: DurableObjectStorage): Rows => ({
  ...sqlRows((sql, ...values) => storage.sql.exec(sql, ...values).toArray()),
  transaction: (run) => storage.transactionSync(run),
})
