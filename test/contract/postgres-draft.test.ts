import { openPostgres } from '@plazo/adapters/postgres'
import { newKeyring } from '@plazo/adapters/sealing'
import { storeContract } from '@plazo/core/testing/contracts'
import { afterAll, beforeAll } from 'vitest'
import pg from 'pg'
import { type OwnPostgres, startOwnPostgres } from '../support/postgres.ts'

let own: OwnPostgres
let url: string
beforeAll(async () => { own = await startOwnPostgres(); url = await own.database() }, 60_000)
afterAll(() => own.close())
storeContract('the PostgreSQL store', async () => {
  let now = 1_000_000
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('drop schema if exists plazo cascade')
  await client.end()
  const home = await openPostgres(url, { keyring: newKeyring(), realNow: () => now, connections: 4 })
  return { store: home.store, advanceRealTime: (millis: number) => { now += millis }, close: home.close }
})
