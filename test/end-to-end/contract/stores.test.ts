// Runs the whole store contract on the three bases that plazo ships: memory, SQLite and PostgreSQL.

import { newKeyring } from '@plazo/adapters/internal/encryption'
import type { Storage } from '@plazo/adapters/internal/postgres'
import { openSqlite } from '@plazo/adapters/internal/sqlite'
import { memoryStore } from '@plazo/adapters/memory'
import {
  baseContract,
  capabilityContract,
  fullStoreContract,
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

const openMemoryStore = async () => ({ store: memoryStore(), close: async () => {} })
storeContract(runner, 'the memory store', openMemoryStore)
capabilityContract(runner, 'the memory store', 'arrivalOrder', openMemoryStore)

fullStoreContract(
  runner,
  'the SQLite store on the program’s own database',
  async () => {
    const { path, remove } = temporaryPath('plazo.db')
    const keyring = newKeyring()
    const database = new Sqlite(path)
    database.pragma('synchronous = off')
    const home = openSqlite(path, { database, keyring })
    const reopened: Storage[] = []
    return {
      store: home.store,
      reopen: async () => {
        const storage = openSqlite(path, { keyring })
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

baseContract(runner, 'the SQLite store in a file, with a writer thread,', async () => {
  const { path, remove } = temporaryPath('plazo.db')
  const home = openSqlite(path, { threadAfterJobs: 0 })
  return {
    store: home.store,
    close: async () => {
      await home.close()
      remove()
    },
  }
})

fullStoreContract(
  runner,
  'the PostgreSQL store',
  async () => {
    const { store, url, close } = await openPostgresTestStorage()
    const { failAt, repair } = breakPostgres(url)
    const reopened: Storage[] = []
    return {
      store,
      reopen: async () => {
        const storage = await openPostgresTestStorage({ url })
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
