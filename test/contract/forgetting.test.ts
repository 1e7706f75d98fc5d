// What forgets shoppers, held to one contract, each beside a store of another process that goes on.
import { openSqlite } from '@plazo/adapters/sqlite'
import { forgettingContract } from '@plazo/core/testing/contracts'
import { aPostgresHome } from '../support/postgres-home.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

// The domain's time stands still, and so does this: what is due now is due to the millisecond.
const realNow = () => 0

forgettingContract('SQLite in memory', async () => openSqlite(':memory:', { realNow }))

forgettingContract('a SQLite file', async () => {
  const { path, remove } = inTemporaryFolder('plazo.db')
  const [ours, theirs] = [openSqlite(path, { realNow }), openSqlite(path, { realNow })]
  return {
    store: ours.store,
    forgetting: theirs.forgetting,
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
    forgetting: theirs.forgetting,
    close: async () => {
      await theirs.close()
      await ours.close()
    },
  }
})
