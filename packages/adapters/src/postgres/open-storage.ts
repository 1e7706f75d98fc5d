// Opens plazo's whole storage in one PostgreSQL database that any number of servers share.
import { randomBytes } from 'node:crypto'
import type { Store } from '@plazo/core/ports'
import { createCipher } from '../encryption/cipher.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { createKeyRotation } from '../sql/key-rotation.ts'
import { createSqlMerchants } from '../sql/merchant-table.ts'
import { withoutOrderCache } from '../sql/order-cache.ts'
import { createRecords } from '../sql/records.ts'
import type { Storage } from '../sql/storage.ts'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import {
  type ClientWithin,
  type ConnectionOptions,
  connectionWithin,
  DEFAULT_CONNECTIONS,
  openConnection,
  reserveConnections,
} from './connection/connection.ts'
import { databaseClock } from './connection/database-clock.ts'
import { isOrderStatement, writeHealth } from './connection/write-health.ts'
import { postgresDataKeys } from './encryption/data-keys.ts'
import { adoptKeys } from './encryption/master-keys.ts'
import { postgresErasure } from './erasure.ts'
import { postgresDialect } from './queries/dialect.ts'
import { migrate } from './schema/migrate.ts'
import { postgresStore, type WriteOptions } from './store.ts'

/** The keys of the database, its connections and the size of its commits. */
export type OpenPostgresOptions = ConnectionOptions &
  WriteOptions & {
    /** The master keys from SECRET_KEY. */
    readonly keyring: Keyring
    readonly timers?: Timers
    /** For tests: real time, used only for leases, instead of the database's clock. */
    readonly realNow?: () => number
  }

/**
 * An open PostgreSQL database. In addition to `Storage`, it writes orders in your program's
 * transactions.
 */
export type PostgresStorage = Storage & {
  /**
   * The store inside a transaction that your program has open on the client: its rollback also undoes
   * what was written. Uses no cache. After `Unavailable`, only a rollback is possible.
   */
  readonly within: (client: ClientWithin) => Store
  /** Call it after the commit of your transaction: it reports to the listeners of `store`. */
  readonly notifyCommitted: () => void
}

// The longest wait of a caller that asks whether the database is reachable. If a lock or a frozen
// database takes longer, the answer is no.
const READY_TIMEOUT = 3_000

const withTimeout = (timers: Timers, millis: number, answer: Promise<boolean>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = timers.after(millis, () => resolve(false))
    void answer.then((isReady) => {
      timer.cancel()
      resolve(isReady)
    })
  })

/**
 * Opens the database, and creates its tables if it is empty. `url`: `postgres://…`. Rejects if the
 * database cannot be opened, or not with these keys.
 */
export const openPostgres = async (
  url: string,
  { keyring, timers = systemTimers, realNow, ...options }: OpenPostgresOptions,
): Promise<PostgresStorage> => {
  await migrate(url, options)
  const { connections = DEFAULT_CONNECTIONS } = options
  const { connection, takesWrites } = writeHealth(
    reserveConnections(openConnection(url, options), connections, isOrderStatement),
  )
  try {
    const dataKeys = postgresDataKeys(createCipher(keyring))
    const keyedHash = await adoptKeys(connection, dataKeys.cipher)
    const dialect = postgresDialect(connection, dataKeys)
    const clock = await databaseClock(connection, timers)
    const createOptions = () => ({
      ...options,
      dataKeys,
      realNow: realNow ?? clock.now,
      isClockOurs: realNow !== undefined,
      boot: randomBytes(6).toString('hex'),
      takesWrites: () => withTimeout(timers, READY_TIMEOUT, takesWrites()),
    })
    const store = postgresStore(connection, createOptions())
    return {
      store,
      within: (client) =>
        postgresStore(connectionWithin(client), {
          ...createOptions(),
          dataKeys: postgresDataKeys(dataKeys.cipher),
          cache: withoutOrderCache(),
        }),
      notifyCommitted: store.notifyCommitted,
      merchants: createSqlMerchants(dialect),
      records: createRecords(dialect, keyedHash),
      keyring,
      keyRotation: createKeyRotation(dialect),
      erasure: postgresErasure(dialect, dataKeys),
      clock,
      close: async () => {
        await store.close()
        clock.stop()
        await connection.close()
      },
    }
  } catch (cause) {
    await connection.close()
    throw cause
  }
}
