// The sessions of a database: the settings that plazo and the operator give them, and sessions that
// accept no writes.
import { openPostgres, type Storage } from '@plazo/adapters/internal/postgres'
import * as E from 'fp-ts/lib/Either.js'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openConnection } from '../../../../packages/adapters/src/postgres/connection/connection.ts'
import { emptyDatabase, type FreshDatabase, KEYRING } from '../../../harness/postgres-storage.ts'
import { pausableProxy } from './pausable-proxy.ts'

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

const OURS = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'plan_cache_mode',
  'enable_seqscan',
  'jit',
]

const settingsOf = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const connection = openConnection(url, { connections: 1 })
  const rows = await connection.query<{ readonly name: string; readonly setting: string }>({
    name: 'settings',
    text: 'select name, setting from pg_settings',
  })
  await connection.close()
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))
}

it('options in the URL apply together with plazo’s own, which take precedence', async () => {
  const query = '?options=-c%20work_mem%3D8192%20-c%20statement_timeout%3D0&sslmode=disable'
  const [alone, both] = [await settingsOf(database.url), await settingsOf(database.url + query)]
  expect(both.work_mem).toBe('8192')
  for (const name of OURS) expect([name, both[name]]).toEqual([name, alone[name]])
})

it('a session has plazo’s settings behind a pooler that refuses options at connecting, as PgBouncer does', async () => {
  const pooler = await pausableProxy(database.url, (startup) => startup.includes('\0options\0'))
  const [alone, behind] = [await settingsOf(database.url), await settingsOf(pooler.url)]
  for (const name of OURS) expect([name, behind[name]]).toEqual([name, alone[name]])
  await pooler.close()
})

/** Applies to all new sessions. The current sessions are ended first. */
const setReadOnly = async (is: 'on' | 'off'): Promise<void> => {
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c default_transaction_read_only=off',
  })
  await client.connect()
  const name = new URL(database.url).pathname.slice(1)
  await client.query(`
    alter database ${name} set default_transaction_read_only = ${is};
    select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`)
  await client.end()
}

const waitForAnswer = async (): Promise<void> => {
  while (E.isLeft(await home.store.nextDueAt()()))
    await new Promise((resolve) => setImmediate(resolve))
}

it('a read-only database, such as a former standby, is not reported as ready until it accepts writes', async () => {
  expect(await home.store.takesWrites()).toBe(true)
  await setReadOnly('on')
  await waitForAnswer()
  expect(await home.store.takesWrites()).toBe(false)
  await setReadOnly('off')
  await waitForAnswer()
  expect(await home.store.takesWrites()).toBe(true)
})
