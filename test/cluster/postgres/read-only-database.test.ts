// A database that answers but accepts no writes: a former standby, or a new, empty one.
import { openPostgres, type Storage } from '@plazo/adapters/postgres'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { emptyDatabase, type FreshDatabase } from '../../harness/postgres-database.ts'
import { KEYRING } from '../../harness/postgres-storage.ts'

let database: FreshDatabase
let home: Storage
beforeEach(async () => {
  database = await emptyDatabase()
  home = await openPostgres(database.url, { keyring: KEYRING, connections: 1 })
})
afterEach(async () => {
  await home.close()
  await database.drop()
})

/** Applies to all new sessions. The current sessions are ended first. */
const setReadOnly = async (is: 'on' | 'off'): Promise<void> => {
  const client = new pg.Client({ connectionString: database.url, options: '-c default_transaction_read_only=off' })
  await client.connect()
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`
    alter database ${name} set default_transaction_read_only = ${is};
    select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`)
  await client.end()
}

const waitForAnswer = async (): Promise<void> => {
  while (E.isLeft(await home.store.nextDueAt()())) await new Promise((resolve) => setImmediate(resolve))
}

it('a read-only database is not reported as ready until it accepts writes', async () => {
  expect(await home.store.takesWrites()).toBe(true)
  await setReadOnly('on')
  await waitForAnswer()
  expect(await home.store.takesWrites()).toBe(false)
  await setReadOnly('off')
  await waitForAnswer()
  expect(await home.store.takesWrites()).toBe(true)
})

it('a database without plazo’s tables is not reported as ready until they are back', async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('alter schema plazo rename to elsewhere')
  expect(await home.store.takesWrites()).toBe(false)
  await client.query('alter schema elsewhere rename to plazo')
  expect(await home.store.takesWrites()).toBe(true)
  await client.end()
})
