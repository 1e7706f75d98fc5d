// Runs the erasure contract on each storage. The file and PostgreSQL cases erase in one process while another uses the store.
import { openSqlite } from '@plazo/adapters/sqlite'
import { forgettingContract } from '@plazo/core/testing/contracts'
import { aPostgresHome } from '../support/postgres-home.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

// Domain time stands still in the contract, so real time does too: jobs are due to the millisecond.
const realNow = () => 0

forgettingContract('SQLite in memory', async () => openSqlite(':memory:', { realNow }))

forgettingContract('a SQLite file', async () => {
  const { path, remove } = inTemporaryFolder('plazo.db')
  const [ours, theirs] = [openSqlite(path, { realNow }), openSqlite(path, { realNow })]
  return {
    store: ours.store,
    erasure: theirs.erasure,
    close: async () => {
      await Promise.all([ours.close(), theirs.close()])
      remove()
    },
  }
})

forgettingContract('PostgreSQL', async () => {
  const ours = await aPostgresHome({ realNow })
  const theirs = await aPostgresHome({ url: ours.url, realNow })
  return {
    store: ours.store,
    erasure: theirs.erasure,
    close: async () => {
      await theirs.close()
      await ours.close()
    },
  }
})
