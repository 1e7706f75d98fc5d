// Runs the store contract on every store that plazo ships.

import { newKeyring } from '@plazo/adapters/encryption'
import { memoryStore } from '@plazo/adapters/memory'
import type { Storage } from '@plazo/adapters/postgres'
import { type OpenSqliteOptions, openSqlite } from '@plazo/adapters/sqlite'
import {
  capabilityContract,
  fullStoreContract,
  type OpenedStore,
  storeContract,
} from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import Sqlite from 'better-sqlite3'
import { vi } from 'vitest'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'
import { breakPostgres, breakSqlite } from './breakable-databases.ts'

vi.mock('../../../packages/adapters/src/system/threads.ts', async (importActual) => {
  const { startWarmWriter } = await import('./warm-writer.ts')
  return {
    ...(await importActual<object>()),
    startThread: (_: string, __: 'writer', data: never) => startWarmWriter(data),
  }
})

const aRealTime = () => {
  let now = 1_000_000
  return {
    realNow: () => now,
    advanceRealTime: (millis: number) => {
      now += millis
    },
  }
}

const openSqliteStore = async (
  path: string,
  options: OpenSqliteOptions = {},
  alsoClose = () => {},
): Promise<OpenedStore> => {
  const { realNow, advanceRealTime } = aRealTime()
  const home = openSqlite(path, { ...options, realNow })
  return {
    store: home.store,
    advanceRealTime,
    close: async () => {
      await home.close()
      alsoClose()
    },
  }
}

fullStoreContract(runner, 'the memory store', async () => {
  const { realNow, advanceRealTime } = aRealTime()
  return { store: memoryStore({ realNow }), advanceRealTime, close: async () => {} }
})

storeContract(
  runner,
  'the SQLite store on the program’s own database',
  async () => {
    const { path, remove } = temporaryPath('plazo.db')
    const { realNow, advanceRealTime } = aRealTime()
    const keyring = newKeyring()
    const database = new Sqlite(path)
    const home = openSqlite(path, { database, keyring, realNow })
    const reopened: Storage[] = []
    return {
      store: home.store,
      advanceRealTime,
      reopen: async () => {
        const storage = openSqlite(path, { keyring, realNow, reclaimsDeadClaims: false })
        reopened.push(storage)
        return storage.store
      },
      failAt: breakSqlite(database),
      close: async () => {
        for (const storage of [...reopened, home]) await storage.close()
        database.close()
        remove()
      },
    }
  },
  { isDurable: true },
)

fullStoreContract(runner, 'the SQLite store in memory', () => openSqliteStore(':memory:'))

const openThreadedStore = () => {
  const { path, remove } = temporaryPath('plazo.db')
  return openSqliteStore(path, { threadAfterJobs: 0 }, remove)
}

// Lists, counts and history are read as above. What is written goes to another thread.
const THREADED = 'the SQLite store in a file, with a writer thread'
storeContract(runner, THREADED, openThreadedStore)
capabilityContract(runner, THREADED, 'retention', openThreadedStore)
capabilityContract(runner, THREADED, 'endpoints', openThreadedStore)

fullStoreContract(
  runner,
  'the PostgreSQL store',
  async () => {
    const { realNow, advanceRealTime } = aRealTime()
    const { store, url, close } = await openPostgresTestStorage({ realNow })
    const { failAt, repair } = breakPostgres(url)
    const reopened: Storage[] = []
    return {
      store,
      advanceRealTime,
      reopen: async () => {
        const storage = await openPostgresTestStorage({ realNow, url })
        reopened.push(storage)
        return storage.store
      },
      failAt,
      close: async () => {
        for (const storage of reopened) await storage.close()
        await repair()
        await close()
      },
    }
  },
  { isDurable: true },
)
