// Opens plazo's whole storage in one PostgreSQL database that any number of servers share.
import type { Store } from '@plazo/core/ports'
import { createCipher } from '../encryption/cipher.ts'
import type { Keyring } from '../encryption/keyring.ts'
import { createKeyRotation } from '../sql/key-rotation.ts'
import { createSqlMerchants } from '../sql/merchant-table.ts'
import { createRecords } from '../sql/records.ts'
import { createSqlStore } from '../sql/sql-store.ts'
import type { Storage } from '../sql/storage.ts'
import { createSealer } from '../store/seal.ts'
import { systemTimers, type Timers } from '../system/clock-and-ids.ts'
import { postgresBase, type WriteOptions } from './base.ts'
import {
  type ClientWithin,
  type Connection,
  type ConnectionOptions,
  connectionWithin,
  DEFAULT_CONNECTIONS,
  openConnection,
  reserveConnections,
} from './connection/connection.ts'
import { databaseClock } from './connection/database-clock.ts'
import { isOrderStatement, writeHealth } from './connection/write-health.ts'
import { adoptKeys } from './encryption/master-keys.ts'
import { postgresErasure } from './erasure.ts'
import { postgresLease } from './lease.ts'
import { postgresDialect } from './queries/dialect.ts'
import { migrate } from './schema/migrate.ts'

/** The keys of the database, its connections and the size of its commits. */
export type OpenPostgresOptions = ConnectionOptions &
  WriteOptions & {
    /** The master keys from SECRET_KEY. */
    readonly keyring: Keyring
    /** True: a number gets only so many codes, over all orders. Default: false. */
    readonly limitsCodes?: boolean
    readonly timers?: Timers
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

/** The program's transaction starts no jobs. */
const NO_LEASE = {
  take: async () => null,
  isHeld: () => false,
  erasures: async () => 0,
  noteChange: undefined,
}

// So an order that a transaction of the program holds delays only itself. Milliseconds.
const LOCK_TIMEOUT = 500

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
  { keyring, timers = systemTimers, ...options }: OpenPostgresOptions,
): Promise<PostgresStorage> => {
  await migrate(url, options)
  const { connections = DEFAULT_CONNECTIONS } = options
  const openHalf = () =>
    openConnection(url, { ...options, connections: Math.ceil(connections / 2) })
  const { connection, takesWrites } = writeHealth(
    reserveConnections(openHalf(), openHalf(), isOrderStatement),
  )
  try {
    const cipher = createCipher(keyring)
    const dialect = postgresDialect(connection, createSealer(cipher))
    const records = createRecords(dialect, await adoptKeys(connection, cipher))
    const clock = await databaseClock(connection, timers)
    const lease = postgresLease(url, connection, timers)
    const { model, capacity, limitsCodes, onCommit } = options
    const { monotonicNow } = timers
    // Another connection has a transaction of the program, which may be undone.
    const openStore = (given: Connection) => {
      const isOurs = given === connection
      const dialectOn = isOurs ? dialect : postgresDialect(given, createSealer(cipher))
      const { noteChange, erasures, ...leaseOn } = isOurs ? lease : NO_LEASE
      const lockTimeout = isOurs ? LOCK_TIMEOUT : null
      return createSqlStore(dialectOn, {
        base: postgresBase(given, dialectOn, { onCommit, erasures, lockTimeout }),
        lease: leaseOn,
        keepsOrders: isOurs,
        takesWrites: () => withTimeout(timers, READY_TIMEOUT, takesWrites()),
        model,
        options: {
          ...{ capacity, limitsCodes, hash: records.hash, monotonicNow, onChange: noteChange },
          maxInFlight: isOurs ? 2 : 1,
        },
      })
    }
    const store = openStore(connection)
    lease.onNews((refs) => void store.look(refs))
    // If a standby without the last commits takes over, other steps get the versions of those
    // commits.
    connection.onBroken(store.forgetOpened)
    return {
      store,
      within: (client) => openStore(connectionWithin(client)),
      notifyCommitted: store.notifyCommitted,
      merchants: createSqlMerchants(dialect),
      records,
      keyring,
      keyRotation: createKeyRotation(dialect),
      erasure: postgresErasure(dialect),
      clock,
      lease: lease.holder,
      takeovers: lease.takeovers,
      close: async () => {
        await store.close()
        await lease.close()
        clock.stop()
        await connection.close()
      },
    }
  } catch (cause) {
    await connection.close()
    throw cause
  }
}
