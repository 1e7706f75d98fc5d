// Runs the erasure contract on each storage. The file and PostgreSQL cases erase in one process
// while another uses the store.
import { openSqlite } from '@plazo/adapters/sqlite'
import type { OpenedErasure } from '@plazo/core/internal/testing'
import { erasureAndResendsContract, erasureContract } from '@plazo/core/testing/contracts'
import { runner } from '@plazo/core/testing/vitest'
import { temporaryPath } from '../../harness/ports-and-folders.ts'
import { openPostgresTestStorage } from '../../harness/postgres-storage.ts'

const OPEN: Readonly<Record<string, () => Promise<OpenedErasure>>> = {
  'SQLite in memory': async () => openSqlite(':memory:'),

  'a SQLite file': async () => {
    const { path, remove } = temporaryPath('plazo.db')
    const [ours, theirs] = [openSqlite(path), openSqlite(path)]
    return {
      store: ours.store,
      erasure: theirs.erasure,
      close: async () => {
        await Promise.all([ours.close(), theirs.close()])
        remove()
      },
    }
  },

  PostgreSQL: async () => {
    const ours = await openPostgresTestStorage()
    const theirs = await openPostgresTestStorage({ url: ours.url })
    return {
      store: ours.store,
      erasure: theirs.erasure,
      close: async () => {
        await theirs.close()
        await ours.close()
      },
    }
  },
}

for (const [name, open] of Object.entries(OPEN)) {
  erasureContract(runner, name, open)
  erasureAndResendsContract(runner, name, open)
}
