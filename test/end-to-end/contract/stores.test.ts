// Runs the store contract on every store that plazo ships.
import { memoryStore } from '@plazo/adapters/memory'
import { type OpenSqliteOptions, openSqlite } from '@plazo/adapters/sqlite'
import { fullStoreContract, type OpenedStore } from '@plazo/core/testing/contracts'
import { vi } from 'vitest'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

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

fullStoreContract('the memory store', async () => {
  const { realNow, advanceRealTime } = aRealTime()
  return { store: memoryStore({ realNow }), advanceRealTime, close: async () => {} }
})

fullStoreContract('the SQLite store in memory', () => openSqliteStore(':memory:'))

fullStoreContract('the SQLite store in a file, with a writer thread', () => {
  const { path, remove } = temporaryPath('plazo.db')
  return openSqliteStore(path, { threadAfterJobs: 0 }, remove)
})

fullStoreContract('the PostgreSQL store', async () => {
  const { realNow, advanceRealTime } = aRealTime()
  const { store, close } = await openPostgresTestStorage({ realNow })
  return { store, advanceRealTime, close }
})
