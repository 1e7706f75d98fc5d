// Opens plazo's whole storage in one PostgreSQL database that any number of servers share.
import { randomBytes } from 'node:crypto'
import type { Home } from '../rows/home.ts'
import type { Keyring } from '../sealing/keyring.ts'
import { sealer } from '../sealing/sealer.ts'
import { systemTimers, type Timers } from '../system/timers.ts'
import { CONNECTIONS, type ConnectionOptions, openConnection } from './connection.ts'
import { databaseClock } from './database-clock.ts'
import { postgresForgetting } from './forgetting.ts'
import { postgresKeyKeeping } from './key-keeping.ts'
import { adoptKeys, lookUpIn } from './master-keys.ts'
import { postgresMerchants } from './merchants.ts'
import { migrate } from './migrate.ts'
import { reservingConnections } from './reserved-connections.ts'
import { postgresSandboxShelf } from './sandbox-shelf.ts'
import { postgresStore } from './store.ts'
import { postgresVault } from './vault.ts'
import { isOfOrders, writeHealth } from './write-health.ts'
import type { WriteQueueOptions } from './write-queue.ts'

export type OpenPostgresOptions = ConnectionOptions &
  WriteQueueOptions & {
    /** The master keys from SECRET_KEY. */
    readonly keyring: Keyring
    readonly timers?: Timers
    /** For tests: real time, used only for leases, instead of the database's clock. */
    readonly realNow?: () => number
  }

// The longest wait of a caller that asks whether the database is reachable. If a lock or a frozen database takes longer, the
// answer is no.
const READY_WITHIN = 3_000

const within = (timers: Timers, millis: number, answer: Promise<boolean>): Promise<boolean> =>
  new Promise((resolve) => {
    const over = timers.after(millis, () => resolve(false))
    void answer.then((isReady) => {
      over.cancel()
      resolve(isReady)
    })
  })

/** `url`: `postgres://…`. Rejects if the database cannot be opened, or not with these keys. */
export const openPostgres = async (
  url: string,
  { keyring, timers = systemTimers, realNow, ...options }: OpenPostgresOptions,
): Promise<Home> => {
  await migrate(url, options)
  const { connections = CONNECTIONS } = options
  const reserving = reservingConnections(openConnection(url, options), { connections, isReserved: isOfOrders })
  const { connection, takesWrites } = writeHealth(reserving, timers)
  try {
    const vault = postgresVault(sealer(keyring))
    await adoptKeys(connection, vault.sealer)
    const clock = await databaseClock(connection, timers)
    const lookUp = await lookUpIn(connection, vault.sealer)
    const isReady = async (): Promise<boolean> => (await clock.isWritable()) && (await takesWrites())
    const store = postgresStore(connection, {
      ...options,
      vault,
      realNow: realNow ?? clock.now,
      isClockOurs: realNow !== undefined,
      boot: randomBytes(6).toString('hex'),
    })
    return {
      store,
      merchants: postgresMerchants(connection, vault.sealer),
      shelf: postgresSandboxShelf(connection, vault, lookUp),
      keyring,
      keys: postgresKeyKeeping(connection, vault.sealer),
      forgetting: postgresForgetting(connection, vault),
      clock,
      isReachable: () => within(timers, READY_WITHIN, isReady()),
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
